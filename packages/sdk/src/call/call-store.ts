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
  /** The calls that run now. */
  readonly bySignal: WeakMap<AbortSignal, Set<Entry>>;
}

const STORE = Symbol.for("ai.wakeshift/calls/v1");

function sharedStore(): SharedStore {
  const place = globalThis as { [STORE]?: SharedStore };
  place[STORE] ??= { running: new AsyncLocalStorage(), bySignal: new WeakMap() };
  return place[STORE];
}

/** Runs `work` as part of `call`, or as part of no call of this owner where `call` is `undefined`. */
export async function runInCall<T>(owner: object, call: Call | undefined, context: unknown, work: () => T): Promise<Awaited<T>> {
  const { running, bySignal } = sharedStore();
  const outer = running.getStore();
  if (call === undefined && outer === undefined) return await work();
  const entry: Entry = { owner, call, outer };
  const signal = call === undefined ? undefined : signalOf(context);
  const known = signal === undefined ? undefined : (bySignal.get(signal) ?? new Set());
  if (signal !== undefined && known !== undefined) bySignal.set(signal, known.add(entry));
  try {
    return await running.run(entry, work);
  } finally {
    known?.delete(entry);
  }
}

/** The call the given context or signal belongs to; without one, the call that runs here. */
export function findCall(owner: object, context?: unknown): Call | undefined {
  const { running, bySignal } = sharedStore();
  const signal = signalOf(context);
  const here = running.getStore();
  return (signal === undefined ? nearest(here, owner) : ofSignal([...(bySignal.get(signal) ?? [])], here, owner))?.call;
}

/**
 * Of several calls that run on one signal, the one that runs here, or the innermost where each was made by the one before. Of
 * others, which are a connection's whose requests share its signal, none: any of them may be another conversation's.
 */
function ofSignal(entries: readonly Entry[], here: Entry | undefined, owner: object): Entry | undefined {
  const meant = new Set(entries.flatMap((entry) => nearest(entry, owner) ?? []));
  if (meant.size < 2) return [...meant][0];
  const own = chain(here).find((entry) => meant.has(entry));
  return own ?? [...meant].find((entry) => [...meant].every((other) => chain(entry).includes(other)));
}

function nearest(entry: Entry | undefined, owner: object): Entry | undefined {
  return chain(entry).find((each) => each.owner === owner);
}

/** The entry, and those around it. */
function chain(entry: Entry | undefined): readonly Entry[] {
  return entry === undefined ? [] : [entry, ...chain(entry.outer)];
}
