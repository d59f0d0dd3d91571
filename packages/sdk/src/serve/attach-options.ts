import { WakeshiftError } from "@wakeshift/protocol";
import type { Identify } from "../call/caller.ts";
import type { SubscribedNotice, UnsubscribedNotice } from "../call/subscription-hooks.ts";
import { assertOptions } from "../options/assert-options.ts";
import type { OptionNames } from "../options/assert-options.ts";
import type { Share } from "./share.ts";
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
  /** Refuses subscribing (`user_required`) for callers who aren't signed in. Needs `identify`. Other tools are untouched. @defaultValue false */
  readonly requireUser?: boolean;
  /** Told after a call that subscribed has succeeded. A throw is logged and changes nothing. */
  readonly onSubscribe?: (notice: SubscribedNotice) => unknown;
  /** Told after a conversation ended a subscription. A throw is logged and changes nothing. */
  readonly onUnsubscribe?: (notice: UnsubscribedNotice) => unknown;
}

/** The names of {@link AttachOptions}. */
export const ATTACH_OPTION_NAMES: OptionNames<AttachOptions<never>> = {
  identify: true,
  wrap: true,
  requireUser: true,
  onSubscribe: true,
  onUnsubscribe: true,
};

const FUNCTIONS = ["identify", "onSubscribe", "onUnsubscribe"] as const;

/**
 * Refuses what can't work, before anything is attached. Without `identify` nobody is ever signed in, so what needs a user would
 * be refused to everybody, and only the agents would hear of it.
 * @param place what the options were passed to, for the sentence: `wake.attach()`
 * @throws WakeshiftError `bad_request`
 */
export function assertAttachOptions<Options extends AttachOptions<never>>(
  share: Share,
  options: Options,
  names: OptionNames<Options>,
  place: string,
): void {
  assertOptions(options, names, place);
  for (const name of FUNCTIONS) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "function")
      throw new WakeshiftError("bad_request", `${name} of ${place} must be a function, not ${value === null ? "null" : typeof value}.`);
  }
  const { requireUser, identify }: { readonly requireUser?: unknown; readonly identify?: unknown } = options;
  if (requireUser !== undefined && typeof requireUser !== "boolean")
    throw new WakeshiftError("bad_request", `requireUser of ${place} must be true or false, not ${typeof requireUser}.`);
  if (identify !== undefined) return;
  const personal = share.events().find((event) => event.access.includes("personal"));
  if (requireUser === true || personal !== undefined) {
    const what = requireUser === true ? "requireUser" : `The personal event ${personal?.name ?? ""}`;
    throw new WakeshiftError(
      "bad_request",
      `${what} needs identify: without it nobody is ever signed in, so nobody can subscribe. Pass identify to ${place}: a function that returns { user }, read from a credential your server has verified.`,
    );
  }
  share.attachedWithoutIdentify();
}
