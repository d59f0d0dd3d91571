import type { Ended, Gap } from "@wakeshift/protocol";
import type { Hash } from "../engine/store.ts";
import { Reader } from "./reader.ts";
import type { ReaderParts } from "./reader.ts";
import type { AskedTickets } from "./tickets.ts";
import type { WakeSink } from "./wake-sink.ts";

/** What a long poll found. */
export interface Polled {
  /** How many of the tickets were live. */
  readonly live: number;
  /** Each as JSON, see `wakeJson`. */
  readonly wakes: readonly string[];
  readonly ended: readonly Ended[];
  readonly gaps: readonly Gap[];
  /** Gives the wakes back for other takers at once: the answer can't have arrived. */
  readonly handBack: () => Promise<void>;
}

const MAX_WAKES = 32;
const MAX_CHARACTERS = 1_048_576;

/** Collects what one answer holds, and says when there is something. */
class Collector implements WakeSink {
  readonly wakes: string[] = [];
  readonly ends: Ended[] = [];
  readonly gaps: Gap[] = [];
  #characters = 0;
  #open = true;
  readonly #onSomething: () => void;

  constructor(onSomething: () => void) {
    this.#onSomething = onSomething;
  }

  hasRoom(): boolean {
    return this.#open && this.wakes.length < MAX_WAKES && this.#characters < MAX_CHARACTERS;
  }

  wake(json: string): void {
    this.wakes.push(json);
    this.#characters += json.length;
    this.#onSomething();
  }

  ended(ended: Ended): void {
    this.ends.push(ended);
    this.#onSomething();
  }

  /** A poll's answer doesn't carry it. */
  stranded(): void {
    return;
  }

  gap(gap: Gap): void {
    this.gaps.push(gap);
    this.#onSomething();
  }

  shut(): void {
    this.#open = false;
  }
}

/**
 * Waits until there is a wake or an end for one of the tickets, at most `waitMs`, and gives all there is then. Without a live ticket
 * there is nothing to wait for.
 *
 * @param signal - aborted: the asker has left, or the core is going down.
 */
export async function longPoll(
  parts: ReaderParts,
  request: { readonly tickets: AskedTickets; readonly holderHash: Hash; readonly waitMs: number; readonly taker: string },
  signal: AbortSignal,
): Promise<Polled> {
  let wakeUp: () => void = () => undefined;
  const something = new Promise<void>((resolve) => (wakeUp = resolve));
  const sink = new Collector(() => wakeUp());
  const reader = new Reader(parts, sink, request.taker);
  const resolved = await reader.resolve(request.tickets, request.holderHash);
  const live = reader.follow(resolved);
  reader.resume();
  await reader.settled();
  const found = sink.wakes.length + sink.ends.length + sink.gaps.length > 0;
  if (live.length > 0 && !found && request.waitMs > 0 && !signal.aborted) {
    const timer = setTimeout(wakeUp, request.waitMs);
    signal.addEventListener("abort", wakeUp, { once: true });
    await something;
    clearTimeout(timer);
    signal.removeEventListener("abort", wakeUp);
    // Whatever the same commit brought comes along.
    await reader.settled();
  }
  sink.shut();
  await reader.settled();
  await reader.close(false, !signal.aborted);
  return { live: live.length, wakes: sink.wakes, ended: sink.ends, gaps: sink.gaps, handBack: () => parts.store.release(request.taker) };
}
