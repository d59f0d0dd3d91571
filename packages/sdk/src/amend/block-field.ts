import type { JsonSchema } from "../schema/schema.ts";

/** The field of structured content that carries the block. */
export const BLOCK_FIELD = "wakeshift";

/**
 * Keywords beside which a further entry in `properties` may still be refused: closed branches, limits on names or number.
 * Official clients throw a finished result away over one field their listed schema doesn't take.
 */
const CLOSING: readonly string[] = [
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "propertyNames",
  "patternProperties",
  "maxProperties",
  "const",
  "enum",
  "dependentSchemas",
  "dependencies",
];

/** Whether an output schema can take the block as one more property of its root. */
export function takesBlock(outputSchema: JsonSchema): boolean {
  if (outputSchema["type"] !== "object" || CLOSING.some((keyword) => outputSchema[keyword] !== undefined)) return false;
  const properties = outputSchema["properties"];
  if (properties === undefined) return true;
  return typeof properties === "object" && properties !== null && !Object.hasOwn(properties, BLOCK_FIELD);
}

/** The block as a property of an output schema. */
export const BLOCK_PROPERTY: JsonSchema = {
  [BLOCK_FIELD]: { type: "object", description: "What this call subscribed the conversation to. Present only if it did." },
};

/** The output schema with the block as an optional property. */
export function withBlockField(outputSchema: JsonSchema): JsonSchema {
  return {
    ...outputSchema,
    properties: {
      ...(outputSchema["properties"] as JsonSchema | undefined),
      ...BLOCK_PROPERTY,
    },
  };
}
