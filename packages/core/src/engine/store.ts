import type { Access, Via, EndedReason, AckState, WakeshiftError } from "@wakeshift/protocol";

/** A hash, 32 bytes of SHA-256, as lower-case hex. Secrets are stored in no other form. */
export type Hash = string;

/** Wall-clock milliseconds since 1970. Only for what is stored and for expiry; waits run on the monotonic clock. */
export type Instant = number;

export interface AppRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Instant;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly appId: string;
  readonly name: string;
  /** Raw 32-byte Ed25519 public key. */
  readonly publicKey: Uint8Array;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | undefined;
}

export interface EventRecord {
  readonly appId: string;
  readonly name: string;
  readonly description: string;
  readonly argumentsSchema: Readonly<Record<string, unknown>>;
  readonly payloadSchema: Readonly<Record<string, unknown>>;
  /** `undefined`: published only by an SDK older than the access rule, so open to every path. */
  readonly access: readonly Access[] | undefined;
  readonly tools: readonly string[];
  /** SHA-256 over the published content: an equal digest means nothing to write. */
  readonly digest: Hash;
}

/** One change of an event's access. `undefined` for `before` or `after`: open to every path, as published without the access rule. */
export interface AccessChange {
  readonly event: string;
  readonly at: Instant;
  readonly before: readonly Access[] | undefined;
  readonly after: readonly Access[] | undefined;
  /** Language and version of the SDK that published it. */
  readonly sdk: string | undefined;
  /** Live subscriptions that it ended. */
  readonly ended: number;
}

/** What publishing events changed. */
export interface PutEventsResult {
  /** Names of the events that differed from what was stored. */
  readonly changed: readonly string[];
  /**
   * Of the published events, those that became tools-only within the last minute, with how many subscriptions that ended. So each
   * closing is stated to its publisher also if the first answer was lost, and may be stated to a second instance.
   */
  readonly closed: readonly { readonly name: string; readonly ended: number }[];
  /** Of the published events, those with live subscriptions of another shape, which no emit matches, and how many. */
  readonly stranded: readonly { readonly name: string; readonly live: number }[];
}

export interface EmitInput {
  readonly appId: string;
  readonly event: string;
  readonly id: string;
  /** Canonical JSON. */
  readonly arguments: string;
  readonly payload: string;
  readonly text: string;
  readonly emittedAt: Instant;
  /** One for a shared event, one per named user for a personal one. */
  readonly routes: readonly Hash[];
  /** Digest of the event that the routes were made from. `undefined`: written whatever the event is by then. */
  readonly eventDigest: Hash | undefined;
}

export interface EmitResult {
  readonly seq: number;
  readonly id: string;
  /** Live subscriptions on the routes when it was first emitted, before optional-argument filters. */
  readonly matched: number;
  readonly duplicate: boolean;
}

export interface SubscribeInput {
  readonly id: string;
  readonly appId: string;
  readonly event: string;
  readonly route: Hash;
  /** What the event's routes are made of, see `shapeOf`. */
  readonly shape: string;
  /** Digest of the event that the route was made from. `undefined`: written whatever the event is by then. */
  readonly eventDigest: Hash | undefined;
  /** Canonical JSON of all arguments, optional ones included. */
  readonly arguments: string;
  /** Canonical JSON of the optional arguments given, "{}" if none: an equality filter applied when read. */
  readonly filter: string;
  readonly user: string | undefined;
  readonly client: string;
  readonly harness: string | undefined;
  /** The session key to store when `conversationId` is not given: makes a new conversation. */
  readonly newConversation: { readonly id: string; readonly sessionHash: Hash };
  readonly conversationId: string | undefined;
  readonly via: Via;
  readonly tool: string;
  readonly callId: string | undefined;
  readonly once: boolean;
  readonly now: Instant;
  readonly expiresAt: Instant;
  /** Deliver the newest occurrence emitted at or after this instant, too. */
  readonly replaySince: Instant | undefined;
  readonly ticketHash: Hash;
  /** Live subscriptions a conversation may have. */
  readonly limit: number;
  /** Live subscriptions this user of the app may have, or without one all callers of the app without one together. */
  readonly callerLimit: number;
}

export type SubscribeResult =
  | { readonly kind: "created" | "renewed"; readonly subscription: SubscriptionRecord }
  /** The call was rolled back before: a late subscribe of it is refused. */
  | { readonly kind: "call_closed" }
  /** The event, as it is stored by now, is not open to the path given by `via`. */
  | { readonly kind: "not_open" }
  /** The event is another by now than `eventDigest`: decide again. */
  | { readonly kind: "event_changed" }
  | { readonly kind: "limit" }
  | { readonly kind: "caller_limit" };

export interface SubscriptionRecord {
  readonly id: string;
  readonly appId: string;
  readonly event: string;
  readonly route: Hash;
  readonly arguments: string;
  readonly filter: string;
  readonly user: string | undefined;
  readonly client: string;
  readonly harness: string | undefined;
  readonly conversationId: string;
  readonly via: Via;
  readonly tool: string;
  readonly once: boolean;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | undefined;
  readonly endedReason: EndedReason | undefined;
  /** What its event's routes were made of when it was made. `undefined`: it is from before shapes were kept. */
  readonly shape: string | undefined;
  /** No emit matches it, since its event has another shape now. */
  readonly stranded: boolean;
}

export interface ConversationRecord {
  readonly id: string;
  readonly appId: string;
  readonly user: string | undefined;
  readonly client: string;
}

/** Which live subscriptions to end. Every given field must match; none given is refused by the caller, not here. */
export interface EndFilter {
  readonly appId: string;
  readonly id?: string;
  readonly event?: string;
  readonly user?: string;
  readonly conversationId?: string;
  /** Made by one of these paths. */
  readonly via?: readonly Via[];
  /** Canonical JSON of the whole arguments. */
  readonly arguments?: string;
  /** Canonical JSON of some of the arguments: those that have each of these, with further ones or not. */
  readonly argumentsIncluding?: string;
}

export type TicketResolution =
  | { readonly kind: "live"; readonly ticketHash: Hash; readonly subscription: SubscriptionRecord }
  | { readonly kind: "ended"; readonly ticketHash: Hash; readonly subscriptionId: string; readonly reason: EndedReason }
  | { readonly kind: "unknown"; readonly ticketHash: Hash };

export interface ClaimedWake {
  readonly subscriptionId: string;
  readonly seq: number;
  readonly occurrenceId: string;
  readonly event: string;
  readonly arguments: string;
  readonly payload: string;
  readonly text: string;
  readonly emittedAt: Instant;
}

export interface ClaimResult {
  readonly wakes: readonly ClaimedWake[];
  /** Retention removed occurrences this subscription had not been handed. Reported once, then the cursor passes it. */
  readonly gap: boolean;
  /**
   * Something is out under a lease, this taker's own of this very claim included, or there is more to look through:
   * claim again after so long (monotonic). What was acked by then is not offered again.
   */
  readonly retryInMs: number | undefined;
}

export type AckResult = "ok" | "late" | "unknown";

/** Told after a commit, never before it, or of none. Listeners must not throw and must return fast. */
export interface StoreListener {
  /** New occurrences on these routes. */
  readonly emitted?: (routes: readonly Hash[]) => void;
  /** These subscriptions receive nothing more. */
  readonly ended?: (ended: readonly { readonly subscriptionId: string; readonly reason: EndedReason }[]) => void;
  /** These tickets are replaced by a newer one of the same subscription, which goes on. */
  readonly retired?: (ticketHashes: readonly Hash[]) => void;
  /** These events have this shape from now on: subscriptions of another one are stranded. */
  readonly reshaped?: (reshaped: readonly { readonly appId: string; readonly event: string; readonly shape: string }[]) => void;
  /** A taker gave back what it held of these subscriptions, or what kept the next one back is handed: claim now. */
  readonly available?: (subscriptionIds: readonly string[]) => void;
  /** The storage begins to refuse writes, for this reason. Told once, also if it refuses many. */
  readonly refused?: (failure: WakeshiftError) => void;
  /** It takes writes again. */
  readonly recovered?: () => void;
}

/** Whether writes succeed; if not, why the last one didn't. */
export type StoreHealth = { readonly writable: true } | { readonly writable: false; readonly failure: WakeshiftError };

/** What the store needs from outside, so that tests can own time. */
export interface StoreClock {
  /** Wall clock, milliseconds. */
  now(): Instant;
  /** Monotonic clock, milliseconds. */
  monotonic(): number;
}

/**
 * Everything the core keeps. One implementation per database; `exercise.ts` is the suite each must pass unchanged.
 *
 * Promise: a resolved write is on disk. A rejected write left nothing behind.
 * @throws WakeshiftError `storage_full` when the disk refuses; later calls work again once there is room. `storage_gone` when
 * the place of the data was deleted or replaced; later calls work again once it is back
 */
export interface Store {
  /** Which core this is, `core_` and 32 hex characters: made with the database, and kept by its backups. */
  coreId(): Promise<string>;
  createApp(app: AppRecord): Promise<void>;
  listApps(): Promise<readonly AppRecord[]>;
  findApp(idOrName: string): Promise<AppRecord | undefined>;
  addKey(key: KeyRecord): Promise<void>;
  listKeys(appId: string): Promise<readonly KeyRecord[]>;
  findKey(keyId: string): Promise<KeyRecord | undefined>;
  /** false: no such key. In force at once on this node, within 1 s on others, also when another process wrote it. */
  revokeKey(keyId: string, at: Instant): Promise<boolean>;
  /**
   * false: this `jti` was used before. Decided at once; the record is written with the next commit, and writes asked
   * for after it in the same turn are committed with it or later, so no answered write outlives its `jti`.
   */
  claimJti(jti: string, expiresAt: Instant): Promise<boolean>;

  /**
   * Writes what differs from what is stored, as one write; events left out are kept. A change of `access` is kept for
   * {@link Store.listAccessChanges}.
   *
   * If an event that was open (`access` undefined or not empty) becomes tools-only (`[]`), its live subscriptions that another path
   * than a tool made receive nothing from this write on, and end, `revoked`: the first with this write, the others by `prune` (till
   * then emits count them). Reopening the event doesn't bring them back.
   *
   * A publish that changes the event's shape ends and changes no subscription: those of another shape are stranded, and are matched
   * again once the event has their shape again.
   * @param sdk language and version of who publishes, for the record
   */
  putEvents(events: readonly EventRecord[], now: Instant, sdk?: string): Promise<PutEventsResult>;
  /** The changes of access of an app's events, the newest first. */
  listAccessChanges(appId: string, limit: number): Promise<readonly AccessChange[]>;
  listEvents(appId: string): Promise<readonly EventRecord[]>;
  findEvent(appId: string, name: string): Promise<EventRecord | undefined>;

  /**
   * Stores an occurrence, or answers what the first emit of its id answered. `undefined`: the event is another by now than
   * `eventDigest`, and nothing is written: decide again.
   * @throws WakeshiftError `bad_request` (409) where the id was used for another event or other arguments.
   */
  emit(input: EmitInput): Promise<EmitResult | undefined>;

  subscribe(input: SubscribeInput): Promise<SubscribeResult>;
  findConversation(appId: string, sessionHash: Hash): Promise<ConversationRecord | undefined>;
  listSubscriptions(filter: EndFilter, now: Instant): Promise<readonly SubscriptionRecord[]>;
  /** Ends live ones, releases their leases, adjusts the route counters; answers how many. */
  endSubscriptions(filter: EndFilter, reason: EndedReason, now: Instant): Promise<number>;
  /**
   * Deletes all there is of one user of an app: subscriptions (live ones end first, and listeners hear of it), conversations,
   * their tickets and session keys, and the occurrences of personal events that nobody else was named in. In bounded writes,
   * each of them safe to stop after. false: there was nothing.
   */
  forgetUser(appId: string, user: string, now: Instant): Promise<boolean>;
  /**
   * Ends what the call created, closes the call id for later subscribes. What it only renewed stays, with the expiry, once and
   * maker it had before, unless a later renewal came on top.
   */
  rollbackCall(appId: string, callId: string, now: Instant): Promise<number>;

  /** Binds unbound tickets to the holder, retires older tickets of a renewed subscription. In the order asked. */
  resolveTickets(ticketHashes: readonly Hash[], holderHash: Hash, now: Instant): Promise<readonly TicketResolution[]>;
  /** Ends the subscriptions these tickets allow this holder to end. */
  endByTickets(ticketHashes: readonly Hash[], holderHash: Hash, now: Instant): Promise<readonly TicketResolution[]>;
  /**
   * Leases up to `limit` pending occurrences of one live subscription to `taker` (one stream or call), oldest first.
   * A `once` subscription has at most one outstanding, and ends with the first handed that was emitted after it was
   * made or last renewed: a renewal waits for what comes after it. Nothing that is leased to a taker is offered to another.
   */
  claim(subscriptionId: string, taker: string, limit: number): Promise<ClaimResult>;
  /** Gives back what this taker holds, at once, when its connection closed. */
  release(taker: string): Promise<void>;
  ack(
    acks: readonly { readonly ticketHash: Hash; readonly occurrenceId: string; readonly state: AckState }[],
    holderHash: Hash,
    now: Instant,
  ): Promise<readonly AckResult[]>;

  /** One bounded step of housekeeping: what closed events have yet to end, expiry, tickets that nobody used, retention, old jtis and call ids. true: there is more to do. */
  prune(now: Instant, retentionMs: number): Promise<boolean>;
  /** Whether a write would succeed now: after one was refused, one as large as an emit may be. */
  health(): Promise<StoreHealth>;
  listen(listener: StoreListener): () => void;
  close(): Promise<void>;
}
