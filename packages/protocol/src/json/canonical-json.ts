import { assertPlainJson } from "./plain-json.ts";

/**
 * RFC 8785: JSON without white space, names sorted by UTF-16 code units, numbers as ECMAScript writes them.
 * Two values that mean the same have the same text.
 *
 * @throws WakeshiftError `bad_request` for what JSON can't hold, for NUL and lone surrogates, and beyond 64 levels.
 */
export function canonicalJson(value: unknown): string {
  assertPlainJson(value, "bad_request", "the value");
  return write(value);
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${write(inner)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
