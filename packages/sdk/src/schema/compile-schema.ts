import { Validator } from "@cfworker/json-schema";
import type { ErrorCode } from "@wakeshift/protocol";
import { describeSchemaFault, WakeshiftError } from "@wakeshift/protocol";
import { assertJsonSchema } from "./assert-json-schema.ts";
import { jsonSchemaOf } from "./json-schema-of.ts";
import { errorNameOf } from "../log/error-name.ts";
import { plainJson, plainValue } from "./plain-value.ts";
import { withPeriod } from "../text/with-period.ts";
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

const SAMPLES: readonly unknown[] = [{}, [], "", 0, null, true];

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** @throws WakeshiftError `bad_event` */
export function compileSchema(schema: Schema, field: string): CompiledSchema {
  const jsonSchema = jsonSchemaOf(schema, field);
  assertJsonSchema(jsonSchema, field);
  const matches = createJsonSchemaCheck(jsonSchema, field);
  // Shows a reference that leads round in a circle, as a core does.
  for (const sample of SAMPLES) matches(sample);
  return {
    jsonSchema,
    async check(value, code, name): Promise<unknown> {
      const taken = isStandardSchema(schema) ? await takeByStandard(schema, plainValue(value, code, name), code, name) : value;
      const plain = plainJson(taken, code, name);
      const fault = matches(plain);
      if (fault !== undefined) throw new WakeshiftError(code, `${name}: ${fault}.`);
      return plain;
    },
  };
}

/**
 * Makes a check by JSON Schema: answers what is wrong, or `undefined` if nothing is.
 * @throws WakeshiftError `bad_event`, here or from the check, where the schema itself can't be read
 */
export function createJsonSchemaCheck(jsonSchema: JsonSchema, field: string): (value: unknown) => string | undefined {
  let validator: Validator;
  try {
    validator = new Validator(jsonSchema, draftOf(jsonSchema), true);
  } catch (error) {
    throw new WakeshiftError("bad_event", `${field} is no JSON Schema that can be checked.`, { cause: error });
  }
  return (value) => {
    const { valid, errors } = validate(validator, value, field);
    if (valid) return undefined;
    // The last entry is the innermost: the one that says what is wrong and where.
    const last = errors.at(-1);
    return last === undefined ? "it is refused" : describeSchemaFault(last);
  };
}

/** Some faults of a schema show only once a value gets to them: a reference to nothing, a pattern that is none. */
function validate(validator: Validator, value: unknown, field: string): ReturnType<Validator["validate"]> {
  try {
    return validator.validate(value);
  } catch (error) {
    throw new WakeshiftError("bad_event", `${field} is no JSON Schema that can be checked: a reference or a pattern in it can't be read.`, {
      cause: error,
    });
  }
}

function draftOf(jsonSchema: JsonSchema): "2020-12" | "7" {
  const declared = jsonSchema["$schema"];
  return typeof declared === "string" && declared.includes("draft-07") ? "7" : "2020-12";
}

async function takeByStandard(schema: StandardSchema, value: unknown, code: ErrorCode, field: string): Promise<unknown> {
  const result = await validateByStandard(schema, value, code, field);
  const [issue] = result.issues ?? [];
  if (issue === undefined) return result.value;
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  throw new WakeshiftError(code, `${field}${path === "" ? "" : `, at ${path}`}: ${withPeriod(issue.message)}`);
}

/** Author's code runs in a schema, such as a transform. What that throws on a value refuses the value; its message might hold a secret. */
async function validateByStandard(
  schema: StandardSchema,
  value: unknown,
  code: ErrorCode,
  field: string,
): Promise<{ readonly value?: unknown; readonly issues?: readonly StandardIssue[] | undefined }> {
  try {
    return (await schema["~standard"].validate(value)) as { readonly value?: unknown; readonly issues?: readonly StandardIssue[] };
  } catch (cause) {
    throw new WakeshiftError(code, `${field} can't be taken: the schema threw ${errorNameOf(cause)} on what was passed.`, { cause });
  }
}
