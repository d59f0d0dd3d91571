import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { z } from "zod";
import { sha256Hex } from "../../engine/hash.ts";
import { askedTickets } from "../../wait/tickets.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { CoreContext } from "../request/send.ts";
import { RetryLater } from "../../engine/retry-later.ts";
import { holder, tickets } from "./wake-call.ts";
import type { TicketsInput } from "./wake-call.ts";

export const streamInput: InputReader<TicketsInput> = inputReader(z.object({ holder, tickets }));

/**
 * `POST /stream`: an event stream of wakes. A `Last-Event-ID` is not read: what is pending is known by acks, not by what was sent.
 */
export function stream({
  streams,
  places,
  addressOf,
  clock,
  unknownTickets,
}: CoreServices): (input: TicketsInput, context: CoreContext) => Promise<Response> {
  return async (input, context) => {
    const { incoming, outgoing } = context.env;
    if (streams.isClosing)
      throw new RetryLater("rate_limited", "This core is going down. Come back later.", places.retryMs(), { status: 503 });
    const holderHash = sha256Hex(input.holder);
    const address = addressOf(incoming);
    const leave = places.take({ address, holderHash });
    const onUnknown = (count: number): void => unknownTickets.count(address, count, clock.monotonic());
    try {
      await streams.serve(outgoing, askedTickets(input.tickets, incoming.headers.authorization), holderHash, onUnknown);
    } finally {
      leave();
    }
    return RESPONSE_ALREADY_SENT;
  };
}
