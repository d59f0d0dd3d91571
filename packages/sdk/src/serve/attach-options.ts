import type { Identify } from "../call/caller.ts";
import type { SubscribedNotice, UnsubscribedNotice } from "../call/subscription-hooks.ts";
import type { Wrap } from "./wrap.ts";

/** How Wakeshift is attached to one server. */
export interface AttachOptions<Context> {
  /**
   * Tells who is calling, from a credential your server verified, never from a bare header. Asked only by calls that need it.
   * A throw is no "nobody", nor is an answer later than `timeoutMs`: such a call subscribes nothing (`identify_failed`).
   */
  readonly identify?: Identify<Context>;
  /** The tools that subscribe but aren't registered through the attachment, and the events each may subscribe to. */
  readonly wrap?: Wrap;
  /** Refuses subscribing (`user_required`) for callers who aren't signed in. Other tools are untouched. @defaultValue false */
  readonly requireUser?: boolean;
  /** Told after a call that subscribed has succeeded. A throw is logged and changes nothing. */
  readonly onSubscribe?: (notice: SubscribedNotice) => unknown;
  /** Told after a conversation ended a subscription. A throw is logged and changes nothing. */
  readonly onUnsubscribe?: (notice: UnsubscribedNotice) => unknown;
}
