import type { Ended } from "@wakeshift/protocol";
import { z } from "zod";
import { sha256Hex, ticketIdOf } from "../../engine/hash.ts";
import { askedTickets, unknownIn } from "../../wait/tickets.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { CoreContext } from "../request/send.ts";
import { sendJson } from "../request/send.ts";
import { holder, tickets } from "./wake-call.ts";
import type { TicketsInput } from "./wake-call.ts";

export const endTicketsInput: InputReader<TicketsInput> = inputReader(z.object({ holder, tickets }));

/** `POST /end`: ends the subscriptions of tickets. Answers what became of each; ending what has ended is fine. */
export function endTickets({
  store,
  clock,
  addressOf,
  unknownTickets,
}: CoreServices): (input: TicketsInput, context: CoreContext) => Promise<Response> {
  return async (input, context) => {
    const asked = askedTickets(input.tickets, context.env.incoming.headers.authorization);
    const resolutions = await store.endByTickets(asked.hashes, sha256Hex(input.holder), clock.now());
    const ended: Ended[] = [
      ...asked.malformed.map((ticketId): Ended => ({ ticket_id: ticketId, reason: "unknown" })),
      ...resolutions.map((resolution): Ended => {
        const ticketId = ticketIdOf(resolution.ticketHash);
        if (resolution.kind === "unknown") return { ticket_id: ticketId, reason: "unknown" };
        const subscription = resolution.kind === "live" ? resolution.subscription.id : resolution.subscriptionId;
        return { subscription, ticket_id: ticketId, reason: resolution.kind === "live" ? "unsubscribed" : resolution.reason };
      }),
    ];
    unknownTickets.count(addressOf(context.env.incoming), unknownIn(ended), clock.monotonic());
    return sendJson(context, JSON.stringify({ ended }));
  };
}
