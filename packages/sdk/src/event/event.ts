import type { AuthInfo, RequestContext } from "../request-context.ts";
import type { InputOf, OutputOf, Schema } from "../schema/schema.ts";

/** Who asks to subscribe. `client` and `native` are what the client says of itself: never decide on them. */
export interface Subscriber {
  /** The user `identify` gave. Absent: nobody is signed in. */
  readonly user?: string;
  /** The caller's verified token, where the server checked one. */
  readonly authInfo?: AuthInfo;
  /** The request as the MCP SDK handed it to the server: what `identify` was asked with. Nothing in it is verified but its `authInfo`. */
  readonly request: RequestContext;
  /** What the client calls itself. */
  readonly client: string;
  /** Whether it subscribes by MCP Events itself. */
  readonly native: boolean;
}

/** What an event is. */
export interface EventOptions<Args extends Schema, Payload extends Schema> {
  /** One sentence: what has happened when this is emitted. */
  readonly description: string;
  /** An object schema of what names one stream of occurrences. What it requires must match exactly; the rest filters. */
  readonly args: Args;
  readonly payload: Payload;
  /**
   * The line the agent reads first, ≤ 4 KiB.
   * @defaultValue the description and a short form of the payload
   */
  readonly text?: (payload: OutputOf<Payload>, args: OutputOf<Args>) => string;
  /**
   * Opens the event to `subscribe_events` and native clients, and decides each of them. A throw, or more than 10 seconds, refuses.
   * Your own tools don't ask it.
   */
  readonly authorize?: (subscriber: Subscriber, args: OutputOf<Args>) => boolean | Promise<boolean>;
  /** Each subscription belongs to the user who made it, and each emit names its users. Opens the event to signed-in users. */
  readonly personal?: boolean;
  /** Opens the event to anyone. Not together with `personal` or `authorize`. */
  readonly public?: boolean;
}

/** How one occurrence is emitted. */
export interface EmitOptions {
  /** Personal events only, and there needed: the user or users (≤ 1,000) it is for, from your own records. */
  readonly to?: string | readonly string[];
  /** Your idempotency key, ≤ 256 bytes: emitting again with it changes nothing. */
  readonly id?: string;
}

/** What became of an emit. */
export interface Emitted {
  /** Occurrence id. */
  readonly id: string;
  /** Live subscriptions with these arguments, before optional arguments are looked at. */
  readonly matched: number;
  /**
   * Those of `matched` that can be woken now: a bridge holds their ticket. Fewer than `matched` means that somebody's machine is off,
   * or its agent program isn't connected; `npx wakeshift doctor` says there what it is. What is stored comes once it is. Absent: the core is
   * older than this field.
   */
  readonly connected?: number;
  /** It was emitted before with the same `id`. */
  readonly duplicate: boolean;
}

/** An event of an app, as `wake.defineEvent` gives it. */
export interface WakeEvent<Args extends Schema = Schema, Payload extends Schema = Schema, Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  /** Only for the compiler: there is no such field. */
  readonly "~types"?: { readonly args: InputOf<Args>; readonly payload: InputOf<Payload> };
  /**
   * Emits one occurrence to everyone subscribed with these arguments. Once this resolves it is stored and will be delivered.
   * @throws WakeshiftError `bad_arguments`, `bad_payload`, `payload_too_large`, `to_required`, `to_refused`, `bad_request`,
   * `no_key`, `unauthorized`, `rate_limited`, `storage_full`, `storage_gone`, `unreachable`, `bad_response`
   */
  emit(args: InputOf<Args>, payload: InputOf<Payload>, options?: EmitOptions): Promise<Emitted>;
  /**
   * A URL for services that can only send webhooks.
   * @throws WakeshiftError `unsupported` in this version
   */
  publishUrl(args: InputOf<Args>, options?: { readonly to?: string }): Promise<string>;
}

/** Any event, whatever its arguments and payload. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- an event's arguments are both read and written, so only `any` stands for all
export type AnyEvent = WakeEvent<any, any>;

/** The arguments one may subscribe to this event with. */
export type ArgumentsOf<E> = E extends { readonly "~types"?: infer T }
  ? NonNullable<T> extends { readonly args: infer A }
    ? A
    : never
  : never;
