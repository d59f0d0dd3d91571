import type { CoreFetch } from "./fetch.ts";

/** Told of each subscribe's call id, and whether its call's result was handed on: only then a ticket has left this process. */
export interface CallWatcher {
  began(callId: string): void;
  handed(callId: string): void;
}

const watchers: WeakMap<CoreFetch, CallWatcher> = new WeakMap();

/** Watches the calls of every `Wakeshift` that sends its requests by this function. */
export function watchCalls(fetch: CoreFetch, watcher: CallWatcher): void {
  watchers.set(fetch, watcher);
}

/** Whoever watches; a core in the same process, or nobody. */
export function watcherOf(fetch: CoreFetch): CallWatcher | undefined {
  return watchers.get(fetch);
}
