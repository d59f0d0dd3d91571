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
  readonly bySignal: WeakMap<AbortSignal, readonly Entry[]>;
  /** How many calls run now. */
  count: number;
}

const STORE = Symbol.for("ai.wakeshift/calls/v2");

function sharedStore(): SharedStore {
  const place = globalThis as { [STORE]?: SharedStore };
  place[STORE] ??= { running: new AsyncLocalStorage(), bySignal: new WeakMap(), count: 0 };
  return place[STORE];
}

/** A call while it runs. */
export interface CallScope {
  /** Runs `work`, and what it goes on to do, as part of the call. */
  run<T>(work: () => T): T;
  /** The call is over: its context finds it no more. */
  leave(): void;
}

/** Makes a call findable, by its request's context and from within what runs in it. */
export function enterCall(owner: object, call: Call, context: unknown): CallScope {
  const store = sharedStore();
  const { running, bySignal } = store;
  const entry: Entry = { owner, call, outer: running.getStore() };
  const signal = signalOf(context);
  store.count += 1;
  if (signal !== undefined) bySignal.set(signal, [...(bySignal.get(signal) ?? []), entry]);
  return {
    run: (work) => running.run(entry, work),
    leave: () => {
      store.count -= 1;
      if (store.count === 0) rest(running);
      if (signal !== undefined) takeOut(bySignal, signal, entry);
    },
  };
}

/**
 * No call runs, so none can be found. Up to Node 22 the runtime else goes on telling the storage of every promise and stream event
 * of the whole process, whoever's they are; the next call puts it to use again. Later ones keep it in a way that costs nothing, and
 * other runtimes have no such method.
 */
function rest(running: SharedStore["running"]): void {
  if (Object.hasOwn(running, "kResourceStore")) running.disable();
}

/** Not left to the garbage collector: a weak map of all the signals of late costs more than the calls themselves. */
function takeOut(bySignal: SharedStore["bySignal"], signal: AbortSignal, entry: Entry): void {
  const others = bySignal.get(signal)?.filter((each) => each !== entry) ?? [];
  if (others.length === 0) bySignal.delete(signal);
  else bySignal.set(signal, others);
}

/** Runs `work` as part of no call of this owner. */
export function runOutsideCalls<T>(owner: object, work: () => T): T {
  const { running } = sharedStore();
  const outer = running.getStore();
  return outer === undefined ? work() : running.run({ owner, call: undefined, outer }, work);
}

/** The call the given context or signal belongs to; without one, the call that runs here. */
export function findCall(owner: object, context?: unknown): Call | undefined {
  const { running, bySignal } = sharedStore();
  const signal = signalOf(context);
  const here = running.getStore();
  return (signal === undefined ? nearest(here, owner) : ofSignal(bySignal.get(signal) ?? [], here, owner))?.call;
}

/**
 * Of several calls that run on one signal, the one that runs here, or the innermost where each was made by the one before. Of
 * others, which are a connection's whose requests share its signal, none: any of them may be another conversation's.
 */
function ofSignal(entries: readonly Entry[], here: Entry | undefined, owner: object): Entry | undefined {
  const [only] = entries;
  if (entries.length < 2) return nearest(only, owner);
  const meant = new Set(entries.flatMap((entry) => nearest(entry, owner) ?? []));
  if (meant.size < 2) return [...meant][0];
  const own = chain(here).find((entry) => meant.has(entry));
  return own ?? [...meant].find((entry) => [...meant].every((other) => chain(entry).includes(other)));
}

function nearest(entry: Entry | undefined, owner: object): Entry | undefined {
  for (let each = entry; each !== undefined; each = each.outer) if (each.owner === owner) return each;
  return undefined;
}

/** The entry, and those around it. */
function chain(entry: Entry | undefined): readonly Entry[] {
  return entry === undefined ? [] : [entry, ...chain(entry.outer)];
}
