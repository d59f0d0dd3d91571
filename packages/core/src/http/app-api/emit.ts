import { formatOccurrenceId } from "@wakeshift/protocol";
import type { EmitAnswer, EmitRequest } from "@wakeshift/protocol";
import { z } from "zod";
import { decideEmit } from "../../engine/event/emit-decision.ts";
import { requestBudget } from "../../engine/schema/judge-checks.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { AppCall } from "./app-call.ts";
import { eventArguments, eventName } from "./call-facts.ts";

export const emitInput: InputReader<EmitRequest> = inputReader(
  z.object({
    name: eventName,
    arguments: eventArguments.default({}),
    payload: z.unknown(),
    text: z.string().exactOptional(),
    id: z.string().exactOptional(),
    to: z.union([z.string(), z.array(z.string())]).exactOptional(),
  }),
);

/** `POST /events/emit`: one occurrence. Answered once it is on disk. */
export function emit({ readers, store, clock, events, randomBytes, judge, emits }: CoreServices): AppCall<EmitRequest> {
  return async (request, key): Promise<EmitAnswer> => {
    emits.take(key.appId, clock.monotonic());
    const budget = requestBudget();
    let connected = 0;
    const { id, matched, duplicate } = await events.decide(key.appId, request.name, async (event) => {
      const faults = await judge.faultsOf(event, { arguments: request.arguments, payload: request.payload }, budget);
      const now = clock.now();
      const facts = { event, faults, freshId: formatOccurrenceId(randomBytes(10), now), now };
      const input = decideEmit(request, facts);
      // Before it is stored: a consumer that polls gets it as its answer, and is gone for a moment then.
      connected = readers.hub.connected(input.routes);
      return store.emit(input);
    });
    return { id, matched, connected: Math.min(matched, connected), duplicate };
  };
}
