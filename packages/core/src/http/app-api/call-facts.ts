import { isRecord } from "@wakeshift/protocol";
import type { CallFacts } from "@wakeshift/protocol";
import { z } from "zod";

const SHORT = 256;
const LONG = 1_024;

/** What an SDK saw of a tool call. All but `user` is asserted by the client. */
export const callFacts: z.ZodType<CallFacts> = z.object({
  client: z.string().max(SHORT),
  client_by: z.enum(["initialize", "meta_client_info", "identify"]).exactOptional(),
  user: z.string().max(LONG).exactOptional(),
  meta: z.record(z.string(), z.unknown()).exactOptional(),
  session: z.string().max(LONG).exactOptional(),
  user_agent: z.string().max(LONG).exactOptional(),
  conversation: z.string().max(LONG).exactOptional(),
  harness: z.string().max(SHORT).exactOptional(),
  tool: z.string().max(SHORT).exactOptional(),
  call_id: z.string().min(1).max(128).exactOptional(),
});

/** Arguments of an event, whichever. */
export const eventArguments: z.ZodType<Record<string, unknown>> = z.custom<Record<string, unknown>>(
  // A record of zod's loses a field named __proto__, which is to be refused.
  (value) => isRecord(value),
  "expected an object",
);

/** An event's name, of whatever spelling: one that no event has is `unknown_event`. */
export const eventName: z.ZodType<string> = z.string().max(SHORT);
