import type { Via } from "@wakeshift/protocol";
import { errorNameOf } from "../log/error-name.ts";
import type { LogBook } from "../log/log-book.ts";

/** What `onSubscribe` is told: a conversation has subscribed, and the call that did it has succeeded. */
export interface SubscribedNotice {
  /** The event's name. */
  readonly event: string;
  /** Subscription id. */
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly user: string | undefined;
  readonly via: Via;
  readonly tool: string;
  /** What the client calls itself. */
  readonly client: string;
  readonly native: boolean;
  /** What the tool passed to `call.subscribe`. */
  readonly context: unknown;
}

/** What `onUnsubscribe` is told: a conversation has ended a subscription of its own. */
export interface UnsubscribedNotice {
  /** The event's name, where the conversation named it. */
  readonly event: string | undefined;
  /** Subscription id, where the conversation named it. */
  readonly id: string | undefined;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  readonly user: string | undefined;
  readonly via: Via;
  readonly tool: string;
  readonly client: string;
}

/** The author's listeners. What they throw is logged as `on_subscribe_failed` and changes nothing. */
export interface SubscriptionHooks {
  readonly onSubscribe?: ((notice: SubscribedNotice) => unknown) | undefined;
  readonly onUnsubscribe?: ((notice: UnsubscribedNotice) => unknown) | undefined;
}

/** Tells a listener without waiting for it. */
export function tellListener<Notice>(
  listener: ((notice: Notice) => unknown) | undefined,
  notice: Notice,
  log: LogBook,
  name: string,
): void {
  if (listener === undefined) return;
  void (async (): Promise<void> => {
    try {
      await listener(notice);
    } catch (error) {
      const type = errorNameOf(error);
      log.tell({
        level: "warn",
        code: "on_subscribe_failed",
        error: type,
        message: `${name} failed with ${type}; the subscription is unchanged.`,
      });
    }
  })();
}
