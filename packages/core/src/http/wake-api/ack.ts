import { isSecret } from "@wakeshift/protocol";
import type { AckAnswer, AckRequest } from "@wakeshift/protocol";
import { z } from "zod";
import { sha256Hex } from "../../engine/hash.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { CoreContext } from "../request/send.ts";
import { sendJson } from "../request/send.ts";
import { holder } from "./wake-call.ts";

const MAX_ACKS = 1_000;

export const ackInput: InputReader<AckRequest> = inputReader(
  z.object({
    holder,
    acks: z.array(z.object({ ticket: z.string(), occurrence: z.string().max(256), state: z.enum(["handed", "seen"]) })).max(MAX_ACKS),
  }),
);

/** `POST /ack`: says what became of wakes. One that can't be acked spoils none of the others. */
export function ack({
  store,
  clock,
  readers,
  addressOf,
  unknownTickets,
}: CoreServices): (input: AckRequest, context: CoreContext) => Promise<Response> {
  return async (input, context) => {
    const asked = input.acks.map(({ ticket, occurrence, state }) => {
      const ticketHash = isSecret("ticket", ticket) ? sha256Hex(ticket) : undefined;
      return { ticketHash, occurrenceId: occurrence, state };
    });
    const known = asked.filter((one): one is typeof one & { ticketHash: string } => one.ticketHash !== undefined);
    const results = await store.ack(known, sha256Hex(input.holder), clock.now());
    const resultOf = new Map(known.map((one, index) => [one, results[index] ?? "unknown"]));
    for (const one of known) if (resultOf.get(one) !== "unknown") readers.hub.acked(one.ticketHash, one.occurrenceId);
    const unknown = asked.length - results.filter((result) => result !== "unknown").length;
    unknownTickets.count(addressOf(context.env.incoming), unknown, clock.monotonic());
    const answer: AckAnswer = {
      acks: asked.map((one) => ({ occurrence: one.occurrenceId, result: resultOf.get(one as (typeof known)[number]) ?? "unknown" })),
    };
    return sendJson(context, JSON.stringify(answer));
  };
}
