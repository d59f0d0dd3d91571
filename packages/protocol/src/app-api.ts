import type { CoreIdentity } from "./wake-api.ts";

/**
 * Wire shapes of the app API, `{core}/api/apps/v1` (JSON, snake_case).
 * Unknown fields are ignored; a wrong type is `bad_request` naming the field.
 */

/** Ways an event is open beside its own app's tools. An empty list is tools-only. */
export type Access = "personal" | "authorize" | "public";

/** By which path a subscription is made. Absent on the wire: inferred from `call.tool`. */
export type Via = "tool" | "subscribe_events" | "native";

/** What the SDK saw of the tool call that subscribes. All but `user` is asserted by the client. */
export interface CallFacts {
  /** The MCP client's name, "" if unknown. */
  readonly client: string;
  /** Which fact `client` is. Absent: `initialize`. */
  readonly client_by?: "initialize" | "meta_client_info" | "identify";
  /** The user `identify` gave. Absent: nobody is signed in. */
  readonly user?: string;
  /** The call's request `_meta`, only the keys recognition reads. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** The session key the model passed. */
  readonly session?: string;
  readonly user_agent?: string;
  /** What the model passed as `conversation_id`. */
  readonly conversation?: string;
  /** What the model passed as `harness`. */
  readonly harness?: string;
  /** The tool's name. */
  readonly tool?: string;
  /** Names one tool call, for rollback. 1–128 characters, made by the SDK. */
  readonly call_id?: string;
}

export interface AppAnswer {
  readonly id: string;
  readonly name: string;
  readonly key: { readonly key_id: string; readonly name: string };
  /** Absent from an older core. */
  readonly core?: CoreIdentity;
}

export interface ManifestEvent {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; its `required` list makes the route, the other properties are filters. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Absent from an SDK older than the access rule: the event stays open to every path. */
  readonly access?: readonly Access[];
  /** Older SDKs' spelling of a personal event. */
  readonly personal?: boolean;
  /** Tools that declare this event, where the SDK knows them. */
  readonly tools?: readonly string[];
}

export interface ManifestRequest {
  readonly sdk?: { readonly language: string; readonly version: string };
  readonly events: readonly ManifestEvent[];
}

export interface ManifestAnswer {
  readonly events: number;
  /** Whether anything differed from what was stored. */
  readonly changed: boolean;
  /**
   * Events that this publish, or another one within the last minute, closed to all but their app's own tools, with how many
   * subscriptions that ended.
   */
  readonly closed: readonly { readonly name: string; readonly ended: number }[];
  /**
   * Events with live subscriptions that no emit matches: they were made when the event required other arguments, or when it was
   * personal and isn't now, or the other way round. They are kept, and are matched again once the event is published as it was.
   * Absent: there are none, or the core is older than this field.
   */
  readonly stranded?: readonly { readonly name: string; readonly live: number }[];
}

export interface EmitRequest {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
  /** The line the agent reads first. */
  readonly text?: string;
  /** The author's idempotency key. */
  readonly id?: string;
  /** Personal events only: who gets it. */
  readonly to?: string | readonly string[];
}

export interface EmitAnswer {
  readonly id: string;
  readonly matched: number;
  /** Matched subscriptions whose ticket a consumer, such as a bridge, holds now. Absent in the answer of an older core. */
  readonly connected?: number;
  readonly duplicate: boolean;
}

export interface SubscribeRequest {
  readonly call: CallFacts;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly via?: Via;
  readonly once?: boolean;
  readonly ttl_ms?: number;
  readonly replay_ms?: number;
  /** Asks for a voucher instead of a ticket. */
  readonly native?: boolean;
}

/** What goes into the tool's result. The core writes all wording. */
export interface Addition {
  readonly text: string;
  /** Goes to `structuredContent.wakeshift`. */
  readonly structured: Readonly<Record<string, unknown>>;
  /** Merged into the result's `_meta`. */
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface SubscribeAnswer {
  readonly state: "subscribed" | "native" | "unavailable";
  readonly reason?: string;
  readonly event_subscription: {
    readonly id: string;
    /** false: an existing subscription was renewed. */
    readonly created: boolean;
    /** ISO 8601. */
    readonly expires_at: string;
    readonly once: boolean;
  };
  /** The session key: the caller's own where it was good, else a new one. */
  readonly session: string;
  readonly agent: { readonly harness?: string; readonly via?: string; readonly claimed?: boolean };
  readonly addition: Addition;
}

export interface RollbackRequest {
  readonly call_id: string;
}

export interface EndedAnswer {
  readonly ended: number;
}

/** By session key (the model's own tools) or by app (author's code). */
export interface UnsubscribeRequest {
  readonly call: CallFacts;
  readonly name?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

export interface EndRequest {
  readonly user?: string;
  readonly id: string;
}

export interface ListRequest {
  /** With `call`: the subscriptions of that call's session key. With `user`: that user's. */
  readonly call?: CallFacts;
  readonly user?: string;
}

export interface ListedSubscription {
  readonly id: string;
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly destination: string;
  readonly once: boolean;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface ListAnswer {
  readonly subscriptions: readonly ListedSubscription[];
}

/** At least one field. */
export interface EndMatchingRequest {
  readonly event?: string;
  readonly user?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly reason?: string };
}

/**
 * The text whose SHA-256, in base64url, an assertion may carry as `req`: then it is good for this one request. Without it, whoever
 * catches an assertion, such as a listener on the port of a core that is down, could send it along with another request.
 *
 * @param path - below `/api/apps/v1`, without a query, such as `/events/emit`
 * @param body - as it is sent, "" if there is none
 */
export function boundRequestText(method: string, path: string, body: string): string {
  return `${method}\n${path}\n${body}`;
}
