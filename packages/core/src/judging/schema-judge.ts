import { WakeshiftError } from "@wakeshift/protocol";
import type { EventFaults } from "../engine/event/emit-decision.ts";
import { REQUEST_BUDGET_MS } from "../engine/schema/judge-checks.ts";
import type { AskedCheck, CheckBudget, Judged } from "../engine/schema/judge-checks.ts";
import { KnownSchema } from "../engine/schema/known-schema.ts";
import { CANT_BE_APPLIED } from "../engine/schema/schema-check.ts";
import { CheckTime } from "./check-time.ts";
import { JudgePool } from "./judge-pool.ts";

/** The part of an event's record that its checks are made from. */
export interface CheckedEvent {
  readonly appId: string;
  readonly digest: string;
  readonly argumentsSchema: Readonly<Record<string, unknown>>;
  readonly payloadSchema: Readonly<Record<string, unknown>>;
}

type EventSchemas = Readonly<Record<"arguments" | "payload", KnownSchema>>;

/** A schema of an event that is published. */
export interface PublishedSchema {
  readonly event: string;
  readonly field: "arguments" | "payload";
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Events whose schemas are kept for the next value. */
const MAX_EVENTS = 2_000;
/** Schemas of one publish that are looked at on the event loop, in characters: a few milliseconds. */
const PUBLISHED_CHARACTERS = 32_768;
const TAKES_TOO_LONG = `it takes longer to check than the ${REQUEST_BUDGET_MS} ms that one request has`;

/**
 * Checks what apps send against the schemas that apps publish. Neither can hold up anybody else: what isn't sure to be quick is
 * checked on other threads, within one budget for each request, and its time is charged to the app.
 */
export class SchemaJudge {
  readonly #known = new Map<string, EventSchemas>();
  readonly #pool = new JudgePool();
  readonly #time = new CheckTime();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The first fault of an event's arguments, and that of its payload where one is given. @throws RetryLater `rate_limited` */
  async faultsOf(
    event: CheckedEvent,
    values: { readonly arguments: unknown; readonly payload?: unknown },
    budget: CheckBudget,
  ): Promise<EventFaults> {
    const schemas = this.#schemasOf(event);
    const faults: { arguments?: string | undefined; payload?: string | undefined } = {};
    const slow: ("arguments" | "payload")[] = [];
    for (const field of ["arguments", "payload"] as const) {
      if (!(field in values)) continue;
      const now = schemas[field].checkNow(values[field], this.#monotonic());
      if ("elsewhere" in now) {
        slow.push(field);
        this.#time.charge(event.appId, now.tookMs, this.#monotonic());
      } else faults[field] = now.fault;
    }
    for (const field of slow) {
      faults[field] = await this.#faultElsewhere(event.appId, schemas[field], values[field], budget);
      if (faults[field] !== undefined) break;
    }
    return faults;
  }

  /** @throws WakeshiftError `bad_event` naming the schema that can't be used; RetryLater `rate_limited` */
  async assertUsable(appId: string, published: readonly PublishedSchema[], budget: CheckBudget): Promise<void> {
    const schemas = published.map(({ schema }) => new KnownSchema(schema));
    const characters = schemas.reduce((sum, { json }) => sum + json.length, 0);
    if (characters <= PUBLISHED_CHARACTERS && schemas.every(({ isPlain }) => isPlain)) {
      for (const [index, one] of published.entries()) assertCompiles(one, schemas[index]);
      return;
    }
    const checks = schemas.map(({ json }) => ({ schema: json, values: "[]" }));
    const { judgements } = await this.#judge(appId, checks, budget);
    for (const [index, one] of published.entries()) {
      const judgement = judgements[index];
      if (judgement === undefined) throw unusable(one, TAKES_TOO_LONG);
      if ("unusable" in judgement) throw unusable(one, judgement.unusable);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #schemasOf({ digest, argumentsSchema, payloadSchema }: CheckedEvent): EventSchemas {
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const made = { arguments: new KnownSchema(argumentsSchema), payload: new KnownSchema(payloadSchema) };
    if (this.#known.size >= MAX_EVENTS) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(digest, made);
    return made;
  }

  async #faultElsewhere(appId: string, schema: KnownSchema, value: unknown, budget: CheckBudget): Promise<string | undefined> {
    const { judgements, tookMs } = await this.#judge(appId, [{ schema: schema.json, values: JSON.stringify([value]) }], budget);
    schema.took(tookMs, this.#monotonic());
    const [judgement] = judgements;
    if (judgement !== undefined && "unusable" in judgement) return CANT_BE_APPLIED;
    const fault = judgement?.faults[0];
    return fault === undefined ? TAKES_TOO_LONG : (fault ?? undefined);
  }

  async #judge(appId: string, checks: readonly AskedCheck[], budget: CheckBudget): Promise<Judged> {
    const judged = await this.#pool.run(appId, () => {
      if (budget.leftMs <= 0) return undefined;
      this.#time.assertLeft(appId, this.#monotonic());
      return { checks, budgetMs: budget.leftMs };
    });
    if (judged === undefined) return { judgements: [], tookMs: 0 };
    budget.leftMs -= judged.tookMs;
    this.#time.charge(appId, judged.tookMs, this.#monotonic());
    return judged;
  }
}

function assertCompiles(published: PublishedSchema, schema: KnownSchema | undefined): void {
  try {
    schema?.compile();
  } catch (error) {
    throw unusable(published, error instanceof Error ? error.message.slice(0, 200) : "it can't be read", error);
  }
}

function unusable({ event, field }: PublishedSchema, why: string, cause?: unknown): WakeshiftError {
  const options = cause === undefined ? {} : { cause };
  return new WakeshiftError("bad_event", `${event}: the ${field} schema can't be used: ${why}.`, options);
}
