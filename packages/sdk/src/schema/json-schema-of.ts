import { WakeshiftError } from "@wakeshift/protocol";
import { toJSONSchema } from "zod/v4/core";
import { zodToJsonSchema } from "zod-to-json-schema";
import type { JsonSchema, Schema } from "./schema.ts";
import { isStandardSchema } from "./schema.ts";

/** The ways libraries have of giving their JSON Schema. */
interface Convertible {
  readonly "~standard": { readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => JsonSchema } };
  readonly _zod?: unknown;
  readonly _def?: { readonly typeName?: unknown };
  readonly toJsonSchema?: () => JsonSchema;
}

const TARGET = "draft-2020-12";

/**
 * The JSON Schema of what a schema takes in, as plain data.
 * @throws WakeshiftError `bad_event` where the library gives none, or the schema describes something JSON can't hold
 */
export function jsonSchemaOf(schema: Schema, field: string): JsonSchema {
  try {
    const found = convert(schema);
    if (found !== undefined) return JSON.parse(JSON.stringify(found)) as JsonSchema;
  } catch (error) {
    const detail = error instanceof Error ? `: ${error.message}` : ".";
    throw new WakeshiftError("bad_event", `${field} can't be written as JSON Schema${detail} Describe it by types that JSON has.`, {
      cause: error,
    });
  }
  throw new WakeshiftError(
    "bad_event",
    `${field} is a schema that gives no JSON Schema. Wrap it (valibot: toStandardJsonSchema of @valibot/to-json-schema), or pass a JSON Schema object.`,
  );
}

function convert(schema: Schema): JsonSchema | undefined {
  if (!isStandardSchema(schema)) return isPlainSchema(schema) ? schema : undefined;
  const convertible = schema as unknown as Convertible;
  const own = convertible["~standard"].jsonSchema?.input;
  if (own !== undefined) return own({ target: TARGET });
  // zod/mini, and the zod 4 inside zod 3.25: schemas of another copy of zod convert as well.
  if (convertible._zod !== undefined)
    return toJSONSchema(schema as unknown as Parameters<typeof toJSONSchema>[0], { io: "input", target: TARGET });
  if (typeof convertible._def?.typeName === "string") {
    return zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0], { pipeStrategy: "input", strictUnions: true });
  }
  return convertible.toJsonSchema?.();
}

function isPlainSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
