import { assertPlainJson, isRecord, WakeshiftError } from "@wakeshift/protocol";
import type { ErrorCode } from "@wakeshift/protocol";
import type { z } from "zod";
import { hasRepeatedNames } from "./repeated-names.ts";

/** Reads one request's body. */
export type InputReader<Input> = (body: string) => Input;

/** Fields that are refused with their own code where they hold what can't be stored. */
const FIELD_CODES: Readonly<Record<string, ErrorCode>> = { arguments: "bad_arguments", payload: "bad_payload", text: "bad_payload" };

/** Lists in which what can't be read spoils none of the others. */
const SINGLY_JUDGED: ReadonlySet<string> = new Set(["tickets", "acks"]);

/**
 * Makes the reader of one kind of request. Unknown fields are left alone; a field of a wrong type, one that nests too deep or holds
 * NUL or half a surrogate pair is refused by its name.
 */
export function inputReader<Schema extends z.ZodObject>(schema: Schema): InputReader<z.output<Schema>> {
  const fields = Object.keys(schema.shape);
  return (body) => {
    const value = withoutNulls(parseObject(body));
    for (const field of fields) {
      const inner = value[field];
      if (inner !== undefined && !SINGLY_JUDGED.has(field)) assertPlainJson(inner, FIELD_CODES[field] ?? "bad_request", field);
    }
    const outcome = schema.safeParse(value);
    if (outcome.success) return outcome.data;
    const [issue] = outcome.error.issues;
    const field = issue?.path.map(String).join(".").slice(0, 80) ?? "";
    throw new WakeshiftError("bad_request", `${field === "" ? "the body" : field}: ${issue?.message ?? "wrong"}.`);
  };
}

/** Some clients write null for what they leave out. A payload of null stays one. */
function withoutNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { call } = value;
  const kept = Object.fromEntries(Object.entries(value).filter(([field, inner]) => inner !== null || field === "payload"));
  const isObject = isRecord(call);
  return isObject ? { ...kept, call: Object.fromEntries(Object.entries(call).filter(([, inner]) => inner !== null)) } : kept;
}

/** A request without a body, or whose body nobody reads. */
export function noInput(): undefined {
  return undefined;
}

function parseObject(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // The cause is left out: the parser's message quotes the body.
    throw new WakeshiftError("bad_request", "The body isn't JSON.");
  }
  if (!isRecord(value)) throw new WakeshiftError("bad_request", "The body must be a JSON object.");
  if (hasRepeatedNames(body, value))
    throw new WakeshiftError(
      "bad_request",
      "The body names a field of one object twice, and which of them counts is anybody's guess; send it once.",
    );
  return value;
}
