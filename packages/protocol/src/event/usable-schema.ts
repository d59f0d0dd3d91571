/** Keywords of JSON Schema that hold the author's data, not schemas. */
export const SCHEMA_DATA_KEYWORDS: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required", "type"]);

/** Refuses patterns that don't compile and references that lead out of the schema, also in branches no sample reaches. @throws Error saying what can't be used */
export function assertUsableSchema(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if (Array.isArray(schema)) return schema.forEach(assertUsableSchema);
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    if (SCHEMA_DATA_KEYWORDS.has(keyword)) continue;
    if (keyword === "pattern" && typeof value === "string") new RegExp(value, "u");
    if (keyword === "patternProperties" && typeof value === "object" && value !== null) {
      for (const pattern of Object.keys(value)) new RegExp(pattern, "u");
    }
    if (keyword === "$ref" && !(typeof value === "string" && value.startsWith("#"))) throw new Error("a $ref leads out of the schema");
    assertUsableSchema(value);
  }
}
