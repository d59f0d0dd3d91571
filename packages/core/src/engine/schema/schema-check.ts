import { Validator } from "@cfworker/json-schema";
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema";
import { assertUsableSchema, describeSchemaFault } from "@wakeshift/protocol";
import { assertCountable } from "./applied-schemas.ts";

/** Gives the first fault of a value as a clause ("/status: …"), `undefined` if it has none. Never quotes the value. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** The fault of a value that the schema can't be applied to. */
export const CANT_BE_APPLIED: string = "the event's schema can't be applied to it";

/**
 * Makes the check for a JSON Schema. Code is never generated from it. Neither this nor the check is bounded: a schema may make both
 * run for long, so only {@link isPlainSchema} ones are for the event loop, and all others for `judgeChecks`.
 *
 * @throws Error where the schema can't be used: a `$ref` to elsewhere, a pattern that is none, a self-reference without end, more
 * schemas applied to one value than can be counted.
 */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  assertUsableSchema(schema);
  assertCountable(schema);
  // The library writes into the schema it is given.
  const copy = structuredClone(schema) as Schema;
  const validator = new Validator(copy, draftOf(copy), true);
  const check: SchemaCheck = (value) => describe(validator.validate(value).errors);
  for (const sample of [{}, [], "", 0, null, true]) check(sample);
  return (value) => {
    try {
      return check(value);
    } catch {
      // A self-reference that only this value follows without end, or a reference to nothing.
      return CANT_BE_APPLIED;
    }
  };
}

function draftOf(schema: Schema): SchemaDraft {
  const named: unknown = schema["$schema"];
  if (typeof named !== "string") return "2020-12";
  if (named.includes("draft-07")) return "7";
  if (named.includes("draft-04")) return "4";
  return named.includes("2019-09") ? "2019-09" : "2020-12";
}

/** The last fault is the innermost, which says most. */
function describe(errors: readonly OutputUnit[]): string | undefined {
  const fault = errors.at(-1);
  return fault === undefined ? undefined : describeSchemaFault(fault);
}
