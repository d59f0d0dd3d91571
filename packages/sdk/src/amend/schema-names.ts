import { isRecord } from "@wakeshift/protocol";
import { mayMatch } from "./name-pattern.ts";
import { resolveReference } from "./schema-reference.ts";

/** A schema may be a graph that holds itself; no honest one has this many parts at its root. */
const MOST_PARTS = 10_000;
/** Keywords whose value is one more schema of the same object, or of its names. */
const PARTS = ["if", "then", "else", "not", "propertyNames"] as const;
/** Keywords whose value is a list of such schemas. */
const BRANCHES = ["allOf", "anyOf", "oneOf"] as const;
/** Keywords that hold, by the name of a property, what it brings with it: names or a schema. `dependencies` is of older drafts. */
const DEPENDENTS = ["dependentSchemas", "dependentRequired", "dependencies"] as const;
const REFERENCES = ["$ref", "$dynamicRef"] as const;

/**
 * Those of `wanted` that an object schema names at its root: as properties, as required, as allowed or forbidden names, as what
 * others depend on or bring with them; through local references, branches and conditions. A reference that can't be read names
 * none. Never throws on plain data, and takes time by the schema's size, however it refers to itself. With `byPattern` also what
 * its `patternProperties` match.
 */
export function namedOf<Name extends string>(schema: unknown, wanted: readonly Name[], byPattern = false): readonly Name[] {
  const named = new Set<string>();
  const parts = new Set<unknown>([schema]);
  // A set hands out what is added while it is walked, each part once.
  for (const part of parts) {
    if (!isRecord(part)) continue;
    for (const name of wanted) if (!named.has(name) && isNamedIn(part, name, byPattern)) named.add(name);
    for (const keyword of PARTS) if (part[keyword] !== undefined) parts.add(part[keyword]);
    for (const keyword of BRANCHES) for (const branch of listIn(part, keyword)) parts.add(branch);
    for (const keyword of DEPENDENTS) for (const dependent of Object.values(recordIn(part, keyword))) parts.add(dependent);
    for (const keyword of REFERENCES) {
      const reference = part[keyword];
      if (typeof reference === "string") parts.add(resolveReference(reference, schema));
    }
    if (parts.size > MOST_PARTS || named.size === wanted.length) break;
  }
  return wanted.filter((name) => named.has(name));
}

/** Whether this part alone names it. Names stand in `enum` and `const` where the part is a schema of names; no object is a text. */
function isNamedIn(part: Readonly<Record<string, unknown>>, name: string, byPattern: boolean): boolean {
  if (Object.hasOwn(recordIn(part, "properties"), name)) return true;
  if (listIn(part, "required").includes(name) || listIn(part, "enum").includes(name) || part["const"] === name) return true;
  for (const keyword of DEPENDENTS) {
    for (const [property, dependent] of Object.entries(recordIn(part, keyword)))
      if (property === name || (Array.isArray(dependent) && dependent.includes(name))) return true;
  }
  return byPattern && Object.keys(recordIn(part, "patternProperties")).some((pattern) => mayMatch(pattern, name));
}

const NO_RECORD: Readonly<Record<string, unknown>> = {};
const NO_LIST: readonly unknown[] = [];

function recordIn(part: Readonly<Record<string, unknown>>, keyword: string): Readonly<Record<string, unknown>> {
  const value = part[keyword];
  return isRecord(value) ? value : NO_RECORD;
}

function listIn(part: Readonly<Record<string, unknown>>, keyword: string): readonly unknown[] {
  const value = part[keyword];
  return Array.isArray(value) ? value : NO_LIST;
}
