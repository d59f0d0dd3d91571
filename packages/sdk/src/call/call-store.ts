import { AsyncLocalStorage } from "node:async_hooks";
import type { Call } from "./call.ts";
import { signalOf } from "./request-context.ts";

/** A call that is running, or the mark that none is, of one `Wakeshift`; those of others stay visible behind it. */
interface Entry {
  readonly owner: object;
  readonly call: Call | undefined;
  readonly outer: Entry | undefined;
}

/** Shared by every copy of this package in the process: a bundler may make two. */
interface SharedStore {
  readonly running: AsyncLocalStorage<Entry | undefined>;
  readonly bySignal: WeakMap<AbortSignal, Entry>;
}

const STORE = Symbol.for("ai.wakeshift/calls/v1");

function sharedStore(): SharedStore {
  const place = globalThis as { [STORE]?: SharedStore };
  place[STORE] ??= { running: new AsyncLocalStorage(), bySignal: new WeakMap() };
  return place[STORE];
}

/** Runs `work` as part of `call`, or as part of no call of this owner where `call` is `undefined`. */
export function runInCall<T>(owner: object, call: Call | undefined, context: unknown, work: () => T): T {
  const { running, bySignal } = sharedStore();
  const outer = running.getStore();
  if (call === undefined && outer === undefined) return work();
  const entry: Entry = { owner, call, outer };
  const signal = signalOf(context);
  if (signal !== undefined && call !== undefined) bySignal.set(signal, entry);
  return running.run(entry, work);
}

/** The call the given context or signal belongs to; without one, the call that runs here. */
export function findCall(owner: object, context?: unknown): Call | undefined {
  const { running, bySignal } = sharedStore();
  const signal = signalOf(context);
  let entry = signal === undefined ? running.getStore() : bySignal.get(signal);
  while (entry !== undefined && entry.owner !== owner) entry = entry.outer;
  return entry?.call;
}
