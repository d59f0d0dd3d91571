import { SCHEMA_DATA_KEYWORDS } from "@wakeshift/protocol";

/** About a tenth of a millisecond to compile. */
const PATTERN_CHARACTERS = 256;

/**
 * Whether a schema's patterns may take long to compile: they are long in all, or hold classes of Unicode characters. Compiling one
 * can't be broken off, unlike everything else a check does.
 */
export function hasLongPatterns(schema: unknown): boolean {
  let characters = 0;
  const left: unknown[] = [schema];
  const isLong = (pattern: string): boolean => (characters += pattern.length) > PATTERN_CHARACTERS || /\\p/i.test(pattern);
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part !== "object" || part === null) continue;
    for (const [keyword, value] of Object.entries(part) as [string, unknown][]) {
      if (SCHEMA_DATA_KEYWORDS.has(keyword) && !Array.isArray(part)) continue;
      if (keyword === "pattern" && typeof value === "string" && isLong(value)) return true;
      if (keyword === "patternProperties" && typeof value === "object" && value !== null && Object.keys(value).some(isLong)) return true;
      if (value !== undefined) left.push(value);
    }
  }
  return false;
}
