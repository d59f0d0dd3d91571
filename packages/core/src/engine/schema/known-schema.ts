import { boundedRun } from "./bounded-run.ts";
import { hasLongPatterns } from "./long-patterns.ts";
import { isPlainSchema, plainSteps } from "./plain-steps.ts";
import { compileSchema } from "./schema-check.ts";
import type { SchemaCheck } from "./schema-check.ts";

/** Making a check takes memory and time by the length of names times the number of parts: longer schemas aren't plain enough. */
const PLAIN_CHARACTERS = 8_192;
/** About a millisecond. */
const PLAIN_STEPS = 1_000;
/** How long the event loop is held up by the first check that takes long. */
export const TRIAL_MS = 5;
/** For so long a schema that took long isn't tried on the event loop again. */
const SLOW_FOR_MS = 60_000;

/** What a check came to. `elsewhere`: it takes too long for the event loop. */
export type CheckNow = { readonly fault: string | undefined } | { readonly elsewhere: true; readonly tookMs: number };

/** A schema, with what is known of it, for values that are checked on the event loop. */
export class KnownSchema {
  readonly json: string;
  readonly isPlain: boolean;
  readonly #schema: Readonly<Record<string, unknown>>;
  readonly #hasLongPatterns: boolean;
  #check: SchemaCheck | undefined;
  #slowUntil = 0;

  constructor(schema: Readonly<Record<string, unknown>>) {
    this.#schema = schema;
    this.json = JSON.stringify(schema);
    this.#hasLongPatterns = hasLongPatterns(schema);
    this.isPlain = this.json.length <= PLAIN_CHARACTERS && isPlainSchema(schema);
  }

  /** Makes the check of a plain schema. @throws Error as `compileSchema` */
  compile(): SchemaCheck {
    return (this.#check ??= compileSchema(this.#schema));
  }

  /** Checks at once where the steps can be counted and are few, and gives any other a few milliseconds. */
  checkNow(value: unknown, monotonicMs: number): CheckNow {
    if (this.isPlain && plainSteps(this.#schema, value, PLAIN_STEPS) <= PLAIN_STEPS) return { fault: this.compile()(value) };
    if (this.#hasLongPatterns || monotonicMs < this.#slowUntil) return { elsewhere: true, tookMs: 0 };
    try {
      const outcome = boundedRun(TRIAL_MS, () => this.compile()(value));
      return "tookTooLong" in outcome ? { elsewhere: true, tookMs: TRIAL_MS } : { fault: outcome.result };
    } catch {
      return { elsewhere: true, tookMs: 0 };
    }
  }

  /** Elsewhere, too, it took so long. */
  took(tookMs: number, monotonicMs: number): void {
    if (tookMs >= TRIAL_MS) this.#slowUntil = monotonicMs + SLOW_FOR_MS;
  }
}
