import { Validator } from "@cfworker/json-schema";
import type { ErrorCode } from "@wakeshift/protocol";
import { WakeshiftError, assertPlainJson } from "@wakeshift/protocol";
import { jsonSchemaOf } from "./json-schema-of.ts";
import { plainValue } from "./plain-value.ts";
import type { JsonSchema, Schema, StandardSchema } from "./schema.ts";
import { isStandardSchema } from "./schema.ts";

/** A schema ready for use: the JSON Schema that is published, and the check that values must pass. */
export interface CompiledSchema {
  readonly jsonSchema: JsonSchema;
  /**
   * Answers the value as it travels: taken by the schema (defaults filled in) and plain JSON.
   * @throws WakeshiftError with the given code, naming the field and never the value
   */
  check(value: unknown, code: ErrorCode, field: string): Promise<unknown>;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** @throws WakeshiftError `bad_event` */
export function compileSchema(schema: Schema, field: string): CompiledSchema {
  const jsonSchema = jsonSchemaOf(schema, field);
  const matches = createJsonSchemaCheck(jsonSchema, field);
  return {
    jsonSchema,
    async check(value, code, name): Promise<unknown> {
      const taken = isStandardSchema(schema) ? await takeByStandard(schema, plainValue(value), code, name) : value;
      const plain = plainValue(taken);
      assertPlainJson(plain, code, name);
      const fault = matches(plain);
      if (fault !== undefined) throw new WakeshiftError(code, `${name}, at ${fault}`);
      return plain;
    },
  };
}

/** Makes a check by JSON Schema: answers what is wrong, or `undefined` if nothing is. */
export function createJsonSchemaCheck(jsonSchema: JsonSchema, field: string): (value: unknown) => string | undefined {
  let validator: Validator;
  try {
    validator = new Validator(jsonSchema, draftOf(jsonSchema), true);
  } catch (error) {
    throw new WakeshiftError("bad_event", `${field} is no JSON Schema that can be checked.`, { cause: error });
  }
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    // The last entry is the innermost: the one that says what is wrong and where.
    const last = errors.at(-1);
    return last === undefined ? "its root: it is refused" : `${last.instanceLocation}: ${last.error}`;
  };
}

function draftOf(jsonSchema: JsonSchema): "2020-12" | "7" {
  const declared = jsonSchema["$schema"];
  return typeof declared === "string" && declared.includes("draft-07") ? "7" : "2020-12";
}

async function takeByStandard(schema: StandardSchema, value: unknown, code: ErrorCode, field: string): Promise<unknown> {
  const result = (await schema["~standard"].validate(value)) as {
    readonly value?: unknown;
    readonly issues?: readonly StandardIssue[] | undefined;
  };
  const [issue] = result.issues ?? [];
  if (issue === undefined) return result.value;
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  throw new WakeshiftError(code, `${field}${path === "" ? "" : `, at ${path}`}: ${issue.message}`);
}
