import { WakeshiftError } from "@wakeshift/protocol";
import { within } from "../time/within.ts";
import type { Identity } from "./call-facts.ts";

/** Answers who is calling, asking the author's `identify` at most once. */
export type Caller = () => Promise<Identity>;

/** A `null` or `undefined` answer means: nobody is signed in. */
export type Identify<Context> = (context: Context) => Identity | null | undefined | Promise<Identity | null | undefined>;

/**
 * `timeoutMs`: how long an async `identify` is waited for.
 * @throws (from the caller) WakeshiftError `identify_failed`: neither a throw nor silence is "no user", since an outage of the
 * sign-in must not make subscriptions that belong to nobody
 */
export function createCaller<Context>(identify: Identify<Context> | undefined, context: Context, timeoutMs: number): Caller {
  let asked: Promise<Identity> | undefined;
  return () => (asked ??= ask(identify, context, timeoutMs));
}

async function ask<Context>(identify: Identify<Context> | undefined, context: Context, timeoutMs: number): Promise<Identity> {
  let why = "identify threw. If it means that nobody is signed in, let it return undefined";
  const late = (): never => {
    why = `identify did not answer within ${String(timeoutMs)} ms, which is timeoutMs. Bound what it waits for, or raise timeoutMs`;
    throw new DOMException("identify did not answer in time", "TimeoutError");
  };
  try {
    const answer = identify?.(context);
    // Each field is looked at once: a getter's next answer might be another user.
    const { user, client } = (isThenable(answer) ? await within(Promise.resolve(answer), timeoutMs, late) : answer) ?? {};
    return {
      ...(typeof user === "string" && user.trim() !== "" ? { user } : {}),
      ...(typeof client === "string" && client !== "" ? { client } : {}),
    };
  } catch (cause) {
    throw new WakeshiftError("identify_failed", `It isn't known on whose behalf this is asked, so nothing was done: ${why}.`, { cause });
  }
}

function isThenable<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof (answer as { readonly then?: unknown } | null | undefined)?.then === "function";
}
