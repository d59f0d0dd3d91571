import { LIMITS, PROGRAMS } from "@wakeshift/protocol";
import { z } from "zod";
import { FACT_CHARACTERS } from "../state/conversations.ts";
import type { EndRequest, OutcomeRequest, ReportRequest, SetRequest, TakeRequest, TrustRequest } from "../local-api.ts";

const program = z.enum(PROGRAMS);
const conversation = z.string().min(1).max(500);
const pid = z.exactOptional(z.int().min(1));

export const reportSchema: z.ZodType<ReportRequest> = z.object({
  program,
  conversation,
  lifecycle: z.exactOptional(z.enum(["opened", "working", "idle", "closed"])),
  pid,
  unattended: z.boolean(),
  results: z.array(z.object({ tool: z.string().max(500), meta: z.unknown() })).max(1_000),
  seen: z.exactOptional(z.array(z.string().max(300)).max(1_000)),
  facts: z.exactOptional(z.record(z.string().max(100), z.string().max(FACT_CHARACTERS))),
  can_notice: z.exactOptional(z.boolean()),
});

export const takeSchema: z.ZodType<TakeRequest> = z.object({
  program,
  conversation,
  taker: z.string().min(1).max(200),
  pid,
  unattended: z.boolean(),
  wait_ms: z.int().min(0).max(LIMITS.waitMaxMs),
  waited_ms: z.exactOptional(z.number().min(0)),
});

export const outcomeSchema: z.ZodType<OutcomeRequest> = z.object({
  delivery: z.string().min(1).max(200),
  state: z.enum(["handed", "seen", "failed", "not_now"]),
  detail: z.exactOptional(z.string().max(1_000)),
});

export const endSchema: z.ZodType<EndRequest> = z.object({ id: z.string().min(1).max(200) });
export const trustSchema: z.ZodType<TrustRequest> = z.object({
  origin: z.string().min(1).max(300),
  app: z.exactOptional(z.string().min(1).max(200)),
});
export const setSchema: z.ZodType<SetRequest> = z.object({ key: z.string().max(100), value: z.string().max(100) });
