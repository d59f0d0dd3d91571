import { LIMITS } from "@wakeshift/protocol";
import { z } from "zod";
import type { CoreServices } from "../core-services.ts";
import type { CoreContext } from "../request/send.ts";
import type { InputReader } from "../request/parse-input.ts";
import { readBody } from "../request/read-body.ts";

/** The secret of a bridge, to which the tickets it uses are bound. */
export const holder: z.ZodType<string> = z.string().min(1).max(512);

/** Tickets of whatever form: what is none is reported, and spoils none of the others. Absent: they stand in the header. */
export const tickets: z.ZodType<unknown[]> = z.array(z.unknown()).max(LIMITS.ticketsPerStream).default([]);

/** What a call about tickets says. */
export interface TicketsInput {
  readonly holder: string;
  readonly tickets: readonly unknown[];
}

/**
 * Makes the handler of one call of the wake API. Its tickets are all the credentials it needs; an address that asked about too many
 * unknown ones is refused before its body is read.
 */
export function wakeCall<Input>(
  { addressOf, clock, unknownTickets }: Pick<CoreServices, "addressOf" | "clock" | "unknownTickets">,
  read: InputReader<Input>,
  call: (input: Input, context: CoreContext) => Promise<Response>,
): (context: CoreContext) => Promise<Response> {
  return async (context) => {
    const { incoming } = context.env;
    unknownTickets.assertRoom(addressOf(incoming), clock.monotonic());
    return call(read(await readBody(incoming)), context);
  };
}
