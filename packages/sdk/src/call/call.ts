import type { AnyEvent, ArgumentsOf } from "../event/event.ts";

/** How a conversation subscribes. */
export interface SubscribeOptions {
  /** The subscription ends with its first delivery. @defaultValue false */
  readonly once?: boolean;
  /** Also delivers the newest occurrence with these arguments from so far back: milliseconds or text like `"10m"`, at most 24 hours. */
  readonly replay?: number | string;
  /** How long it lives unless renewed: 1 minute to 30 days. @defaultValue 7 days */
  readonly ttl?: number | string;
  /** Handed to `onSubscribe` as it is; never sent anywhere. */
  readonly context?: unknown;
}

/** Why a conversation can't be woken. */
export type UnavailableReason = "refused" | "stdio" | "no_user" | "host_unsupported" | "limit";

/** What became of a subscribe. */
export interface Subscription {
  /** `subscribed`: the conversation will be woken. `native`: its client was told how to subscribe itself. `unavailable`: neither; see `reason`. */
  readonly state: "subscribed" | "native" | "unavailable";
  readonly id?: string;
  readonly reason?: UnavailableReason;
  readonly expiresAt?: Date;
}

/** One running call of a tool. It ends when the tool's result is handed on. */
export interface Call<Declared extends AnyEvent = AnyEvent> {
  /**
   * Subscribes the conversation that made this call. Ends again by itself when the call fails.
   * @throws WakeshiftError `no_call` once the call is over, `undeclared_event`, `bad_arguments`, `bad_request`, `replay_too_long`,
   * `user_required`, `identify_failed`, `no_key`, `unauthorized`, `unreachable`, `bad_response`, `rate_limited`, `storage_full`, `storage_gone`
   */
  subscribe<E extends Declared>(event: E, args: ArgumentsOf<E>, options?: SubscribeOptions): Promise<Subscription>;
  /**
   * Ends this conversation's subscription to exactly this event and these arguments; tells whether there was one.
   * @throws WakeshiftError as `subscribe`
   */
  unsubscribe<E extends Declared>(event: E, args: ArgumentsOf<E>): Promise<boolean>;
}
