import { WakeshiftError } from "@wakeshift/protocol";
import type { EmitRequest } from "@wakeshift/protocol";
import type { Schema } from "../schema/schema.ts";
import type { AnyEvent, EmitOptions, Emitted, EventOptions, WakeEvent } from "./event.ts";
import { createEmitRequest } from "./emit-request.ts";
import type { EventDefinition } from "./event-definition.ts";
import { createEventDefinition } from "./event-definition.ts";

const definitions: WeakMap<object, EventDefinition> = new WeakMap();

/** How an event's occurrences go out. */
export interface Emitting {
  send(request: EmitRequest): Promise<Emitted>;
  /** Given each emit, awaited or not; answers what its caller gets. */
  watch(emitted: Promise<Emitted>): Promise<Emitted>;
}

/**
 * Makes an event whose occurrences go out through `emitting`.
 * @throws WakeshiftError `bad_event`, `bad_openness`, `reserved_argument`
 */
export function createEvent<Args extends Schema, Payload extends Schema, Name extends string>(
  name: Name,
  options: EventOptions<Args, Payload>,
  emitting: Emitting,
): WakeEvent<Args, Payload, Name> {
  const definition = createEventDefinition(name, options);
  const event: WakeEvent<Args, Payload, Name> = {
    name,
    description: options.description,
    emit(args, payload, emitOptions: EmitOptions = {}): Promise<Emitted> {
      const request = createEmitRequest(definition, args, payload, emitOptions);
      return emitting.watch(request.then((made) => emitting.send(made)));
    },
    publishUrl(): Promise<string> {
      return Promise.reject(new WakeshiftError("unsupported", "publishUrl isn't there yet in this version of @wakeshift/sdk."));
    },
  };
  definitions.set(event, definition);
  return Object.freeze(event);
}

/** @throws WakeshiftError `bad_request` where `event` isn't what `defineEvent` gave */
export function definitionOf(event: AnyEvent): EventDefinition {
  const definition = definitions.get(event);
  if (definition === undefined) throw new WakeshiftError("bad_request", "That is no event: pass what wake.defineEvent returned.");
  return definition;
}
