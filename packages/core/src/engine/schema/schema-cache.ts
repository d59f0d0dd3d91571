import { compileSchema } from "./schema-check.ts";
import type { SchemaCheck } from "./schema-check.ts";

/** An event's two checks. */
export interface EventChecks {
  readonly arguments: SchemaCheck;
  readonly payload: SchemaCheck;
}

/** The part of an event's record the checks are made from. */
export interface CheckedEvent {
  readonly digest: string;
  readonly argumentsSchema: Readonly<Record<string, unknown>>;
  readonly payloadSchema: Readonly<Record<string, unknown>>;
}

const MAX_EVENTS = 2_000;

/** Keeps the checks of the events used last, by the digest of their definition. */
export class SchemaCache {
  readonly #checks = new Map<string, EventChecks>();

  /** @throws Error as `compileSchema` */
  checksOf(event: CheckedEvent): EventChecks {
    const known = this.#checks.get(event.digest);
    if (known !== undefined) return known;
    const made = { arguments: compileSchema(event.argumentsSchema), payload: compileSchema(event.payloadSchema) };
    if (this.#checks.size >= MAX_EVENTS) {
      const [oldest] = this.#checks.keys();
      if (oldest !== undefined) this.#checks.delete(oldest);
    }
    this.#checks.set(event.digest, made);
    return made;
  }
}
