import { boundedRun } from "./bounded-run.ts";
import { compileSchema } from "./schema-check.ts";
import type { SchemaCheck } from "./schema-check.ts";

/** What all checks of one request may take, in milliseconds. */
export const REQUEST_BUDGET_MS = 100;

/** What one request's checks may still take. */
export interface CheckBudget {
  leftMs: number;
}

/** The budget of a request that begins. */
export function requestBudget(): CheckBudget {
  return { leftMs: REQUEST_BUDGET_MS };
}

/** One schema, and the values to check against it. Both as JSON, which is cheaper to hand to another thread. */
export interface AskedCheck {
  readonly schema: string;
  /** A JSON list. */
  readonly values: string;
}

/** What a schema is, or what became of each of its values: the fault, `null` for none. Fewer where the budget was spent at the next. */
export type Judgement = { readonly unusable: string } | { readonly faults: (string | null)[] };

/** What a request has to be checked, and how long all of it may take. */
export interface JudgeJob {
  readonly checks: readonly AskedCheck[];
  readonly budgetMs: number;
}

/** One judgement for each check, in order; fewer where the budget was spent before. */
export interface Judged {
  readonly judgements: readonly Judgement[];
  readonly tookMs: number;
}

/** Schemas used last, by their JSON. */
export type CompiledSchemas = Map<string, SchemaCheck | { readonly unusable: string }>;

const MAX_COMPILED = 100;
const REASON_CHARACTERS = 200;

/** The clocks that a job is bounded by, in milliseconds. */
export interface JudgeClock {
  monotonic(): number;
  /** What all threads of this process have used: no less than what this one has. */
  cpu(): number;
}

/** How often a job is taken up again that was broken off although this thread can't have used its budget: the machine is busy. */
const MAX_ATTEMPTS = 5;

/** Checks values against schemas that may take for ever, and breaks off where the budget is spent. */
export function judgeChecks({ checks, budgetMs }: JudgeJob, compiled: CompiledSchemas, clock: JudgeClock): Judged {
  const judgements: Judgement[] = [];
  let tookMs = 0;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const began = { at: clock.monotonic(), cpu: clock.cpu() };
    const outcome = boundedRun(Math.max(1, Math.ceil(budgetMs - tookMs)), () => judgeRest(checks, judgements, compiled));
    tookMs += Math.min(clock.monotonic() - began.at, clock.cpu() - began.cpu);
    if (!("tookTooLong" in outcome) || tookMs >= budgetMs) break;
  }
  return { judgements, tookMs };
}

/** Goes on where `judgements` end. */
function judgeRest(checks: readonly AskedCheck[], judgements: Judgement[], compiled: CompiledSchemas): void {
  for (const [index, { schema, values }] of checks.entries()) {
    const check = compiled.get(schema) ?? compile(schema, compiled);
    if (typeof check !== "function") {
      judgements[index] = check;
      continue;
    }
    const before = judgements[index];
    const faults: (string | null)[] = before === undefined || "unusable" in before ? [] : before.faults;
    judgements[index] = { faults };
    for (const value of (JSON.parse(values) as unknown[]).slice(faults.length)) faults.push(check(value) ?? null);
  }
}

function compile(schema: string, compiled: CompiledSchemas): SchemaCheck | { readonly unusable: string } {
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  let made: SchemaCheck | { readonly unusable: string };
  try {
    made = compileSchema(JSON.parse(schema) as Readonly<Record<string, unknown>>);
  } catch (error) {
    made = { unusable: error instanceof Error ? error.message.slice(0, REASON_CHARACTERS) : "it can't be read" };
  }
  compiled.set(schema, made);
  return made;
}
