import { LIMITS } from "@wakeshift/protocol";
import { z } from "zod";
import { sha256Hex } from "../../engine/hash.ts";
import { longPoll } from "../../wait/long-poll.ts";
import { askedTickets, unknownIn } from "../../wait/tickets.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { CoreContext } from "../request/send.ts";
import { sendJson } from "../request/send.ts";
import { holder, tickets } from "./wake-call.ts";
import type { TicketsInput } from "./wake-call.ts";

interface NextInput extends TicketsInput {
  readonly wait_ms: number;
}

export const nextInput: InputReader<NextInput> = inputReader(
  z.object({ holder, tickets, wait_ms: z.number().int().min(0).max(LIMITS.waitMaxMs).default(0) }),
);

/** `POST /next`: a long poll for wakes. */
export function next({
  readers,
  places,
  addressOf,
  clock,
  unknownTickets,
  goingDown,
  randomBytes,
}: CoreServices): (input: NextInput, context: CoreContext) => Promise<Response> {
  return async (input, context) => {
    const { incoming, outgoing } = context.env;
    const holderHash = sha256Hex(input.holder);
    const address = addressOf(incoming);
    const leave = places.take({ address, holderHash });
    const left = new AbortController();
    const onClose = (): void => left.abort();
    outgoing.once("close", onClose);
    const taker = `next-${Buffer.from(randomBytes(12)).toString("hex")}`;
    const request = {
      tickets: askedTickets(input.tickets, incoming.headers.authorization),
      holderHash,
      waitMs: input.wait_ms,
      taker,
    };
    const polled = await longPoll(readers, request, AbortSignal.any([left.signal, goingDown])).finally(leave);
    outgoing.off("close", onClose);
    unknownTickets.count(address, unknownIn(polled.ended), clock.monotonic());
    if (outgoing.destroyed) await polled.handBack();
    const gaps = polled.gaps.length === 0 ? "" : `,"gaps":${JSON.stringify(polled.gaps)}`;
    const retry = polled.live > 0 ? "" : `,"retry_ms":${places.retryMs()}`;
    return sendJson(
      context,
      `{"wakes":[${polled.wakes.join(",")}],"ended":${JSON.stringify(polled.ended)}${gaps}${retry},"core":${JSON.stringify(readers.core)}}`,
    );
  };
}
