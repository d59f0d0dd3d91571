import { z } from "zod";
import { z as z3 } from "zod/v3";
import type { JsonSchema, StandardSchema } from "../schema/schema.ts";

/** Named zod types, such as `{ url: z.string() }`. */
export type ZodShape = Readonly<Record<string, StandardSchema>>;

/**
 * Zod types for properties of one of Wakeshift's own tools or arguments, which are text or objects. Made by the zod line that the
 * author's own fields (`beside`) are of: a framework may put all of them into one object.
 */
export function zodShapeOf(properties: JsonSchema, required: readonly string[], beside: ZodShape = {}): ZodShape {
  const convert = Object.values(beside).some(isZod3) ? zod3Of : zod4Of;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, convert(property as JsonSchema, required.includes(name))]),
  );
}

function isZod3(field: StandardSchema): boolean {
  const { _zod: four, _def: three } = field as { readonly _zod?: unknown; readonly _def?: { readonly typeName?: unknown } };
  return four === undefined && typeof three?.typeName === "string";
}

function zod4Of(property: JsonSchema, required: boolean): StandardSchema {
  const { type, description, enum: values } = property;
  const base = type === "object" ? z.record(z.string(), z.unknown()) : Array.isArray(values) ? z.enum(values as string[]) : z.string();
  const field = required ? base : base.optional();
  return typeof description === "string" ? field.describe(description) : field;
}

function zod3Of(property: JsonSchema, required: boolean): StandardSchema {
  const { type, description, enum: values } = property;
  const base = type === "object" ? z3.record(z3.unknown()) : Array.isArray(values) ? z3.enum(values as [string]) : z3.string();
  const field = required ? base : base.optional();
  return typeof description === "string" ? field.describe(description) : field;
}
