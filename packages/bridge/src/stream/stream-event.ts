import { LIMITS } from "@wakeshift/protocol";
import type { Ended, LiveTicket, Ready, Stranded, Wake } from "@wakeshift/protocol";
import { z } from "zod";

/** What a core's stream says, checked for form. */
export type StreamEvent =
  | { readonly kind: "ready"; readonly ready: Ready }
  | { readonly kind: "wake"; readonly wake: Wake }
  /** A wake that isn't well formed, or larger than a core takes. It stays at its core; the stream goes on. */
  | { readonly kind: "unusable"; readonly detail: string }
  | { readonly kind: "ended"; readonly ended: Ended }
  | { readonly kind: "gap"; readonly subscription: string }
  | { readonly kind: "stranded"; readonly stranded: Stranded }
  | { readonly kind: "come_back"; readonly afterMs: number }
  | { readonly kind: "ping" }
  /** An event of a later version, or one that isn't well formed. Ignored. */
  | { readonly kind: "other"; readonly name: string };

const LONGEST_RETRY_MS = 600_000;
const SHORTEST_PING_MS = 100;
const LONGEST_PING_MS = 120_000;

const subscriptionId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/);
const ticketId = z.string().regex(/^[0-9a-f]{16}$/);

const wakeSchema: z.ZodType<Wake> = z.object({
  subscription: subscriptionId,
  ticket_id: ticketId,
  occurrence: z.string().regex(/^[A-Za-z0-9_:-]{1,256}$/),
  seq: z.number(),
  event: z.string().max(200),
  app: z.object({ id: z.string().max(200), name: z.string().max(1_000) }),
  arguments: z.record(z.string(), z.unknown()).refine((args) => Buffer.byteLength(JSON.stringify(args)) <= LIMITS.argumentsBytes),
  text: z.string().refine((text) => Buffer.byteLength(text) <= LIMITS.textBytes),
  payload: z.unknown(),
  timestamp: z.string().max(64),
  once: z.boolean(),
  lease_ms: z.number(),
});

const REASONS = ["unknown", "delivered", "expired", "unsubscribed", "rolled_back", "revoked", "replaced", "unclaimed", "ended"] as const;

const endedSchema: z.ZodType<Ended> = z.object({
  subscription: z.exactOptional(subscriptionId),
  ticket_id: ticketId,
  reason: z.enum(REASONS).catch("ended"),
});

const liveTicketSchema: z.ZodType<LiveTicket> = z.object({
  ticket_id: ticketId,
  subscription: subscriptionId,
  app: z.object({ id: z.string().max(200), name: z.string().max(1_000) }),
  event: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()),
  stranded: z.exactOptional(z.boolean()),
});

const strandedSchema: z.ZodType<Stranded> = z.object({ ticket_id: ticketId, subscription: subscriptionId, stranded: z.boolean() });

const readySchema = z.object({ tickets: z.number(), ping_ms: z.number(), live: z.array(z.unknown()).optional().catch(undefined) });
const comeBackSchema = z.object({ retry_ms: z.number() });

/** Reads one SSE event. `name` is undefined for an event without a name. */
export function readStreamEvent(name: string | undefined, data: string): StreamEvent {
  return readEvent(name, parseJson(data));
}

/** Reads one event from its parsed JSON, also of the answer to a poll. */
export function readEvent(name: string | undefined, value: unknown): StreamEvent {
  const other: StreamEvent = { kind: "other", name: (name ?? "message").slice(0, 40) };
  switch (name) {
    case "ping":
      return { kind: "ping" };
    case "ready": {
      const parsed = readySchema.safeParse(value);
      if (!parsed.success) return other;
      const ping = Math.min(LONGEST_PING_MS, Math.max(SHORTEST_PING_MS, parsed.data.ping_ms));
      const live = parsed.data.live?.flatMap((one) => liveTicketSchema.safeParse(one).data ?? []);
      return { kind: "ready", ready: { tickets: parsed.data.tickets, ping_ms: ping, ...(live === undefined ? {} : { live }) } };
    }
    case "wake": {
      const parsed = wakeSchema.safeParse(value);
      if (!parsed.success) return { kind: "unusable", detail: `its ${parsed.error.issues[0]?.path.join(".") || "form"} isn't valid` };
      const bytes = Buffer.byteLength(JSON.stringify(parsed.data.payload) ?? "");
      return bytes > LIMITS.payloadBytes
        ? { kind: "unusable", detail: `its payload has ${bytes} bytes; at most ${LIMITS.payloadBytes} are accepted` }
        : { kind: "wake", wake: parsed.data };
    }
    case "ended": {
      const parsed = endedSchema.safeParse(value);
      return parsed.success ? { kind: "ended", ended: parsed.data } : other;
    }
    case "gap": {
      const parsed = z.object({ subscription: subscriptionId }).safeParse(value);
      return parsed.success ? { kind: "gap", subscription: parsed.data.subscription } : other;
    }
    case "stranded": {
      const parsed = strandedSchema.safeParse(value);
      return parsed.success ? { kind: "stranded", stranded: parsed.data } : other;
    }
    case "retry": {
      const parsed = comeBackSchema.safeParse(value);
      return parsed.success ? { kind: "come_back", afterMs: clampRetry(parsed.data.retry_ms) } : other;
    }
    default:
      return other;
  }
}

/** A core may ask for a pause, but not for an endless one. */
export function clampRetry(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? Math.min(LONGEST_RETRY_MS, Math.max(0, milliseconds)) : 0;
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
