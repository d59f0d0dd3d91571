import { assertPlainJson, cutToBytes, defaultText, emitRecipients, LIMITS, occurrenceIdOf, WakeshiftError } from "@wakeshift/protocol";
import type { EmitRequest } from "@wakeshift/protocol";
import type { EmitInput, EventRecord } from "../store.ts";
import { sha256Hex } from "../hash.ts";
import { checkArguments, isPersonal, routeOf } from "./event-arguments.ts";

/** What an event's schemas found wrong, each as a clause that never quotes a value. */
export interface EventFaults {
  readonly arguments?: string | undefined;
  readonly payload?: string | undefined;
}

/** What an emit is decided from, beside the request. */
export interface EmitFacts {
  readonly event: EventRecord;
  /** Of the request's own arguments and payload. */
  readonly faults: EventFaults;
  /** The id it gets if its author gives none. */
  readonly freshId: string;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/**
 * Decides what an emit writes. A text longer than its limit is cut: it is the line read first, and the payload holds the facts.
 *
 * @throws WakeshiftError `bad_arguments`, `bad_payload`, `payload_too_large`, `to_required`, `to_refused`, `bad_request`
 */
export function decideEmit(request: EmitRequest, facts: EmitFacts): EmitInput {
  const { event, faults } = facts;
  const args = checkArguments(event, request.arguments, faults.arguments);
  const payload = payloadText(event, request.payload, faults.payload);
  if (request.text !== undefined) assertPlainJson(request.text, "bad_payload", "text");
  const text = request.text ?? defaultText(event.description, payload);
  return {
    appId: event.appId,
    event: event.name,
    id: occurrenceId(event.appId, request.id) ?? facts.freshId,
    arguments: args.text,
    payload,
    text: cutToBytes(text, LIMITS.textBytes),
    emittedAt: facts.now,
    routes: emitRecipients({ name: event.name, personal: isPersonal(event) }, request.to).map((user) =>
      routeOf(event, args.required, user),
    ),
    eventDigest: event.digest,
  };
}

function payloadText(event: EventRecord, payload: unknown, fault: string | undefined): string {
  assertPlainJson(payload, "bad_payload", "payload");
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text) > LIMITS.payloadBytes) {
    throw new WakeshiftError(
      "payload_too_large",
      `The payload is larger than ${LIMITS.payloadBytes} bytes of JSON; emit a link or an id instead.`,
    );
  }
  if (fault !== undefined) throw new WakeshiftError("bad_payload", `The payload of ${event.name} doesn't match its schema: ${fault}.`);
  return text;
}

function occurrenceId(appId: string, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  assertPlainJson(id, "bad_request", "id");
  if (id === "" || Buffer.byteLength(id) > LIMITS.occurrenceIdBytes) {
    throw new WakeshiftError("bad_request", `id must be 1 to ${LIMITS.occurrenceIdBytes} bytes; leave it out to get one made.`);
  }
  return occurrenceIdOf(id, sha256Hex(`${appId}\n${id}`));
}
