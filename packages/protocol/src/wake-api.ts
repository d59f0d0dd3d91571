/**
 * Wire shapes of the wake API, `{core}/api/wakes/v1`. The ticket is the capability: no other credential.
 * `holder` is a secret of the receiving bridge; a ticket's first use binds it to that holder.
 */

/** Which core this is. */
export interface CoreIdentity {
  /** `core_` and 32 hex characters, made with the core's database: a restored backup keeps it, another database has another. */
  readonly id: string;
  readonly version: string;
}

/** `POST /hello`: asks a core who it is, before it is sent any ticket. */
export interface HelloRequest {
  /** 43 to 128 base64url characters, random, used once. */
  readonly nonce: string;
  /** The core's URL as the caller reaches it, without a slash at its end. */
  readonly address: string;
}

export interface HelloAnswer {
  readonly core: CoreIdentity;
  /**
   * HMAC-SHA256, base64url, of {@link coreProofText} with the secret that this core was noted with on its machine. Absent if
   * `address` isn't this core's own.
   */
  readonly proof?: string;
}

/**
 * What a core signs to prove that it is the one noted at this address. The nonce keeps an old proof from counting again, and the
 * address keeps a listener elsewhere from passing the question on to the real core and its answer back.
 */
export function coreProofText(request: HelloRequest, coreId: string): string {
  return ["wakeshift core proof v1", request.nonce, request.address, coreId].join("\n");
}

/** One occurrence offered to one subscription, under a lease. */
export interface Wake {
  readonly subscription: string;
  /** First 16 hex characters of the ticket's SHA-256, so that the receiver can tell which ticket. */
  readonly ticket_id: string;
  /** Occurrence id. */
  readonly occurrence: string;
  readonly seq: number;
  readonly event: string;
  readonly app: { readonly id: string; readonly name: string };
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly payload: unknown;
  /** When it was emitted, ISO 8601. */
  readonly timestamp: string;
  readonly once: boolean;
  readonly lease_ms: number;
}

/** Why a ticket receives nothing more. `unclaimed`: nobody used it within a day. `unknown` covers malformed, foreign, held by another and never issued. */
export type EndedReason =
  "unknown" | "delivered" | "expired" | "unsubscribed" | "rolled_back" | "revoked" | "replaced" | "unclaimed" | "ended";

export interface Ended {
  /** Absent where the ticket is unknown. */
  readonly subscription?: string;
  readonly ticket_id: string;
  readonly reason: EndedReason;
}

export interface StreamRequest {
  readonly holder: string;
  readonly tickets: readonly string[];
}

/** SSE `ready`: the stream is armed; every ticket not named in an `ended` before it is live. */
export interface Ready {
  readonly tickets: number;
  readonly ping_ms: number;
  /**
   * What the live tickets are good for, by the core's own record: what a tool result said about them is only that tool's word.
   * A core may leave tickets out where the list would get too long; an older one has no list.
   */
  readonly live?: readonly LiveTicket[];
  /** Absent from an older core. */
  readonly core?: CoreIdentity;
}

/** One live ticket of a stream, and the subscription the core issued it for. */
export interface LiveTicket {
  readonly ticket_id: string;
  readonly subscription: string;
  readonly app: { readonly id: string; readonly name: string };
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** No emit matches the subscription, since its event changed what routes are made of. Absent: one may. */
  readonly stranded?: boolean;
}

/** SSE `stranded`: the event of a subscription was published so that no emit matches it any more, or as before, so that one may again. */
export interface Stranded {
  readonly subscription: string;
  readonly ticket_id: string;
  readonly stranded: boolean;
}

/** SSE `retry`: the core ends this stream (shutdown, limit, no live ticket any more); come back after so long. */
export interface ComeBack {
  readonly retry_ms: number;
}

/** SSE `gap`: occurrences of this subscription were pruned before they could be delivered. */
export interface Gap {
  readonly subscription: string;
  readonly ticket_id: string;
}

export interface NextRequest {
  readonly holder: string;
  readonly tickets: readonly string[];
  /** 0–50,000. */
  readonly wait_ms?: number;
}

export interface NextAnswer {
  readonly wakes: readonly Wake[];
  readonly ended: readonly Ended[];
  /** As the stream's `gap`. Absent: none. */
  readonly gaps?: readonly Gap[];
  /** None of the tickets is live: come back after so long, if with others. Absent: at once. */
  readonly retry_ms?: number;
  /** Absent from an older core. */
  readonly core?: CoreIdentity;
}

export type AckState = "handed" | "seen";

export interface AckRequest {
  readonly holder: string;
  readonly acks: readonly { readonly ticket: string; readonly occurrence: string; readonly state: AckState }[];
}

export interface AckAnswer {
  /** One for each ack, in order. `late`: it was acked before, or its subscription had ended; nothing changed. */
  readonly acks: readonly { readonly occurrence: string; readonly result: "ok" | "late" | "unknown" }[];
}

export interface EndTicketsRequest {
  readonly holder: string;
  readonly tickets: readonly string[];
}
