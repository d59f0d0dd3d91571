import { verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { ParsedAssertion } from "../../engine/app/assertion.ts";

/** The checks begun in one turn of the event loop. */
interface Turn {
  readonly checks: Promise<boolean>[];
  readonly done: Promise<void>;
}

/**
 * Checks signatures, at about 0.2 ms of a CPU each: that of a lone call at once, those of calls that come together on other threads.
 *
 * What came in one turn of the event loop goes on in one turn, so that what those calls write shares one commit.
 */
export class Signatures {
  #running = 0;
  #turn: Turn | undefined;

  /** Counts a call while it runs, so that `isBy` knows whether it would keep another one waiting. */
  async during<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#running += 1;
    try {
      return await call();
    } finally {
      // Whoever arrived in the same turn is still to be seen as its company.
      setImmediate(() => (this.#running -= 1));
    }
  }

  /** Whether the assertion is signed by this key. */
  async isBy(key: KeyObject, assertion: ParsedAssertion): Promise<boolean> {
    // Handing the work to another thread and back would only make a lone call later.
    if (this.#running <= 1) return isByNow(key, assertion);
    const turn = (this.#turn ??= this.#begin());
    const check = isByBeside(key, assertion);
    // It may fail before anything below waits for it, and a rejection nobody waits for ends the process.
    turn.checks.push(check.catch(() => false));
    await turn.done;
    return check;
  }

  #begin(): Turn {
    const checks: Promise<boolean>[] = [];
    const done = new Promise<void>((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        void Promise.all(checks).then(() => resolve());
      });
    });
    return { checks, done };
  }
}

function isByNow(key: KeyObject, { signedText, signature }: ParsedAssertion): boolean {
  return verify(null, Buffer.from(signedText, "latin1"), key, signature);
}

function isByBeside(key: KeyObject, { signedText, signature }: ParsedAssertion): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, Buffer.from(signedText, "latin1"), key, signature, (error, good) => {
      if (error === null) resolve(good);
      else reject(error);
    });
  });
}
