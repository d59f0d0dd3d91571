import { AsyncLocalStorage } from "node:async_hooks";
import type { Call } from "./call.ts";
import { signalOf } from "../request-context.ts";

/** A call that is running, or the mark that none is, of one `Wakeshift`; those of others stay visible behind it. */
interface Entry {
  readonly owner: object;
  readonly call: Call | undefined;
  /** What its request came with. */
  readonly context?: unknown;
  outer: Entry | undefined;
}

/** Shared by every copy of this package in the process: a bundler may make two. */
interface SharedStore {
  readonly running: AsyncLocalStorage<Entry | undefined>;
  /** The calls that run now. No weak map: that of all the signals of late costs the collector more than the calls themselves. */
  readonly bySignal: Map<AbortSignal, readonly Entry[]>;
  /** How many signals it takes until those of canceled calls that don't end are looked for. */
  sweepAt: number;
  /** How much that runs now is to find its call by the async context. */
  count: number;
}

const STORE = Symbol.for("ai.wakeshift/calls/v3");
const SWEEP_AT = 1_000;

function sharedStore(): SharedStore {
  const place = globalThis as { [STORE]?: SharedStore };
  place[STORE] ??= { running: new AsyncLocalStorage(), bySignal: new Map(), sweepAt: SWEEP_AT, count: 0 };
  return place[STORE];
}

/** A call while it runs. */
export interface CallScope {
  /** Runs `work`, and what it goes on to do, as part of the call. */
  run<T>(work: () => T): T;
  /** The call is over: its context finds it no more. */
  leave(): void;
}

/**
 * Makes a call findable, by its request's context and from within what runs in it.
 * @param from where the async context of the call begins: with all that answers the request, or with the tool's own handler, which
 * then is to run by {@link runHandler}. What an MCP SDK does before and after it is no concern of the author's, and is told of by
 * the runtime at each of its promises otherwise
 */
export function enterCall(owner: object, call: Call, context: unknown, from: "request" | "handler" = "request"): CallScope {
  const store = sharedStore();
  const { running, bySignal } = store;
  const entry: Entry = { owner, call, context, outer: running.getStore() };
  const signal = signalOf(context);
  const others = signal === undefined ? undefined : bySignal.get(signal);
  if (signal !== undefined) bySignal.set(signal, others === undefined ? [entry] : [...others, entry]);
  if (bySignal.size > store.sweepAt) sweep(store);
  // Its handler finds it by the signal alone, so that must be nobody else's.
  const isWide = from === "request" || signal === undefined || others !== undefined;
  if (isWide) store.count += 1;
  return {
    run: (work) => (isWide ? running.run(entry, work) : work()),
    leave: () => {
      if (isWide) leaveContext(store);
      if (signal !== undefined) takeOut(bySignal, signal, entry);
    },
  };
}

/** A handler may hang for ever, also after its client has gone: nothing can be subscribed for that call, so it needn't be found. */
function sweep(store: SharedStore): void {
  for (const signal of store.bySignal.keys()) if (signal.aborted) store.bySignal.delete(signal);
  store.sweepAt = Math.max(SWEEP_AT, store.bySignal.size * 2);
}

/** Runs a tool's own handler, and what it goes on to do, as part of its call. Where none can be told, it is given none. */
export function runHandler<T>(owner: object, context: unknown, handler: (call: Call | undefined) => T): T {
  const store = sharedStore();
  const here = store.running.getStore();
  const entry = findEntry(owner, context);
  if (entry === undefined || chain(here).includes(entry)) return handler(entry?.call);
  entry.outer = here;
  store.count += 1;
  let result: T;
  try {
    result = store.running.run(entry, handler, entry.call);
  } catch (error) {
    leaveContext(store);
    throw error;
  }
  if (isThenable(result)) return Promise.resolve(result).finally(() => leaveContext(store)) as T;
  leaveContext(store);
  return result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function";
}

function leaveContext(store: SharedStore): void {
  store.count -= 1;
  if (store.count === 0) rest(store.running);
}

/**
 * No call runs, so none can be found. Up to Node 22 the runtime else goes on telling the storage of every promise and stream event
 * of the whole process, whoever's they are; the next call puts it to use again. Later ones keep it in a way that costs nothing, and
 * other runtimes have no such method.
 */
function rest(running: SharedStore["running"]): void {
  if (Object.hasOwn(running, "kResourceStore")) running.disable();
}

function takeOut(bySignal: SharedStore["bySignal"], signal: AbortSignal, entry: Entry): void {
  const entries = bySignal.get(signal) ?? [];
  if (entries.length < 2) bySignal.delete(signal);
  else
    bySignal.set(
      signal,
      entries.filter((each) => each !== entry),
    );
}

/** Runs `work` as part of no call of this owner. */
export function runOutsideCalls<T>(owner: object, work: () => T): T {
  const { running } = sharedStore();
  const outer = running.getStore();
  return outer === undefined ? work() : running.run({ owner, call: undefined, outer }, work);
}

/** The call the given context or signal belongs to; without one, the call that runs here. */
export function findCall(owner: object, context?: unknown): Call | undefined {
  return findEntry(owner, context)?.call;
}

function findEntry(owner: object, context: unknown): Entry | undefined {
  const { running, bySignal } = sharedStore();
  const signal = signalOf(context);
  const here = running.getStore();
  if (signal === undefined) return nearest(here, owner);
  return ofSignal(bySignal.get(signal) ?? [], { here, owner, context });
}

/**
 * Of several calls that run on one signal, the one that runs here, or the innermost where each was made by the one before, or the
 * one that came with this very context. Of others, which are a connection's whose requests share its signal, none: any of them may
 * be another conversation's.
 */
function ofSignal(
  entries: readonly Entry[],
  { here, owner, context }: { readonly here: Entry | undefined; readonly owner: object; readonly context: unknown },
): Entry | undefined {
  const [only] = entries;
  if (entries.length < 2) return nearest(only, owner);
  const meant = [...new Set(entries.flatMap((entry) => nearest(entry, owner) ?? []))];
  if (meant.length < 2) return meant[0];
  const own = chain(here).find((entry) => meant.includes(entry));
  const innermost = own ?? meant.find((entry) => meant.every((other) => chain(entry).includes(other)));
  if (innermost !== undefined) return innermost;
  const named = meant.filter((entry) => entry.context === context);
  return named.length === 1 ? named[0] : undefined;
}

function nearest(entry: Entry | undefined, owner: object): Entry | undefined {
  for (let each = entry; each !== undefined; each = each.outer) if (each.owner === owner) return each;
  return undefined;
}

/** The entry, and those around it. */
function chain(entry: Entry | undefined): readonly Entry[] {
  return entry === undefined ? [] : [entry, ...chain(entry.outer)];
}
