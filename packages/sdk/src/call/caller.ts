import { WakeshiftError } from "@wakeshift/protocol";
import type { Identity } from "./call-facts.ts";

/** Answers who is calling, asking the author's `identify` at most once. */
export type Caller = () => Promise<Identity>;

/** A `null` or `undefined` answer means: nobody is signed in. */
export type Identify<Context> = (context: Context) => Identity | null | undefined | Promise<Identity | null | undefined>;

/**
 * @throws (from the caller) WakeshiftError `identify_failed`: a throw is not "no user", since an outage of the sign-in must not
 * make subscriptions that belong to nobody
 */
export function createCaller<Context>(identify: Identify<Context> | undefined, context: Context): Caller {
  let asked: Promise<Identity> | undefined;
  return () => (asked ??= ask(identify, context));
}

async function ask<Context>(identify: Identify<Context> | undefined, context: Context): Promise<Identity> {
  try {
    // Each field is looked at once: a getter's next answer might be another user.
    const { user, client } = (await identify?.(context)) ?? {};
    return {
      ...(typeof user === "string" && user.trim() !== "" ? { user } : {}),
      ...(typeof client === "string" && client !== "" ? { client } : {}),
    };
  } catch (error) {
    throw new WakeshiftError("identify_failed", "identify threw, so nothing was subscribed: it isn't known on whose behalf.", {
      cause: error,
    });
  }
}
