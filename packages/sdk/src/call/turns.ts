import { WakeshiftError } from "@wakeshift/protocol";
import { NOT_SENT } from "../client/app-client.ts";
import { within } from "../time/within.ts";

/** What {@link Turns} needs. */
export interface TurnsOptions {
  /** How long each may take, the waiting for its turn included. */
  readonly timeoutMs: number;
  readonly monotonic: () => number;
}

/** What one call asks of a core, one after the other, so that many of them together take no longer than one may. */
export class Turns {
  readonly #options: TurnsOptions;
  #pending = 0;
  #last: Promise<unknown> | undefined;
  #isIdling = false;
  #failure: unknown;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** How many aren't through. */
  get pending(): number {
    return this.#pending;
  }

  /** Whether whoever asked is through, and what is left is only waited for. */
  get isIdling(): boolean {
    return this.#isIdling;
  }

  /** What failed first while `idle` waited: whoever asked for it no longer did. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Runs `prepare` at once, and `work` with what it answers when all that was asked before is through. The time starts with the
   * asking, or with the end of a `prepare` that waited for the author's code: only the core's time is limited here.
   * @throws WakeshiftError (by rejecting) `unreachable` where the turn doesn't come in time, and what the two throw
   */
  take<Prepared, Result>(
    prepare: () => Promise<Prepared>,
    work: (prepared: Prepared, deadline: number) => Promise<Result>,
  ): Promise<Result> {
    const result = this.#run(this.#last, prepare, work);
    this.#pending += 1;
    // Marks the rejection as seen, too: what nobody awaited must not end the process.
    const through = result.then(
      () => void (this.#pending -= 1),
      (error: unknown) => {
        this.#pending -= 1;
        if (this.#isIdling) this.#failure ??= error;
      },
    );
    this.#last = Promise.allSettled([this.#last, through]);
    return result;
  }

  /** Waits for all that was asked and what follows from it, at most for the time one of them may take. */
  async idle(): Promise<void> {
    const { monotonic, timeoutMs } = this.#options;
    const until = monotonic() + timeoutMs;
    this.#isIdling = true;
    let last: Promise<unknown> | undefined;
    while (last !== this.#last && monotonic() < until) {
      last = this.#last;
      await isThroughWithin(last, until - monotonic());
    }
  }

  async #run<Prepared, Result>(
    before: Promise<unknown> | undefined,
    prepare: () => Promise<Prepared>,
    work: (prepared: Prepared, deadline: number) => Promise<Result>,
  ): Promise<Result> {
    const { monotonic, timeoutMs } = this.#options;
    const prepared = await prepare();
    const deadline = monotonic() + timeoutMs;
    if (before !== undefined && !((await isThroughWithin(before, timeoutMs)) && monotonic() < deadline)) {
      const sentence = "The core did not answer in time what this call had asked before, so it wasn't asked any more.";
      throw new WakeshiftError("unreachable", sentence, { reason: NOT_SENT });
    }
    return work(prepared, deadline);
  }
}

function isThroughWithin(work: Promise<unknown> | undefined, ms: number): Promise<boolean> {
  return within(
    Promise.resolve(work).then(() => true),
    ms,
    () => false,
  );
}
