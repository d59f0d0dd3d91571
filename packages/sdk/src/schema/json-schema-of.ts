import { isRecord, WakeshiftError } from "@wakeshift/protocol";
import { toJSONSchema } from "zod/v4/core";
import { ignoreOverride, zodToJsonSchema } from "zod-to-json-schema";
import { withPeriod } from "../text/with-period.ts";
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
  assertReadable(schema, field);
  try {
    const found = convert(schema);
    if (found !== undefined) return JSON.parse(JSON.stringify(found)) as JsonSchema;
  } catch (error) {
    const detail = error instanceof Error ? `: ${withPeriod(error.message)}` : ".";
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
  assertOutput(convertible);
  const own = convertible["~standard"].jsonSchema?.input;
  if (own !== undefined) return own({ target: TARGET });
  // zod/mini, and the zod 4 inside zod 3.25: schemas of another copy of zod convert as well.
  if (convertible._zod !== undefined)
    return toJSONSchema(schema as unknown as Parameters<typeof toJSONSchema>[0], { io: "input", target: TARGET });
  if (typeof convertible._def?.typeName === "string") {
    return zod3Schema(convertible, "input");
  }
  return convertible.toJsonSchema?.();
}

/** @throws WakeshiftError `bad_event` for what is no schema, and for one of a zod that is too old to be one of Standard Schema */
function assertReadable(schema: unknown, field: string): void {
  if (schema === undefined || schema === null) {
    throw new WakeshiftError(
      "bad_event",
      `${field} ${field.startsWith("the args") ? "are" : "is"} missing. Pass a schema, such as z.object({ job: z.string() }).`,
    );
  }
  if (isOldZod(schema)) throw new WakeshiftError("bad_event", `${field}: ${OLD_ZOD}`);
}

/** What to do about a schema that {@link isOldZod}. */
export const OLD_ZOD =
  "this schema was made by a zod before 3.24, which has no Standard Schema. Install zod 3.25 or 4: npm install zod@^4.";

/** Tells a schema of a zod before 3.24. */
export function isOldZod(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null || isStandardSchema(schema)) return false;
  const typeName: unknown = (schema as Partial<Convertible>)._def?.typeName;
  return typeof typeName === "string" && typeName.startsWith("Zod");
}

/** Types of zod whose values JSON can't carry. What a transform of the author's makes shows only when it runs. */
const NOT_JSON: ReadonlySet<string> = new Set("bigint date file function map nan promise set symbol".split(" "));

/**
 * What a schema takes in is looked at by its conversion; what it makes of that is what travels.
 * @throws Error naming the type that JSON can't carry
 */
function assertOutput(convertible: Convertible): void {
  if (convertible._zod !== undefined) {
    toJSONSchema(convertible as unknown as Parameters<typeof toJSONSchema>[0], {
      io: "output",
      target: TARGET,
      unrepresentable: "any",
      override: ({ zodSchema }) => {
        refuseType(zodSchema._zod.def.type);
      },
    });
  } else if (typeof convertible._def?.typeName === "string") zod3Schema(convertible, "output");
}

/** zod-to-json-schema writes dates and the like as if JSON had them. @throws Error naming such a type */
function zod3Schema(convertible: Convertible, pipeStrategy: "input" | "output"): JsonSchema {
  return zodToJsonSchema(convertible as unknown as Parameters<typeof zodToJsonSchema>[0], {
    pipeStrategy,
    strictUnions: true,
    override: (definition) => {
      const { typeName } = definition as { readonly typeName?: unknown };
      refuseType(String(typeName).replace(/^Zod/, "").toLowerCase());
      return ignoreOverride;
    },
  });
}

function refuseType(type: string): void {
  if (!NOT_JSON.has(type)) return;
  const advice = type === "date" ? " Send dates as text: z.iso.datetime() (zod 3: z.string().datetime())." : "";
  throw new Error(`JSON has no ${type}.${advice}`);
}

function isPlainSchema(value: unknown): value is JsonSchema {
  return isRecord(value);
}
