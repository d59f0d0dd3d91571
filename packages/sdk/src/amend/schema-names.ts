/** A schema may be a graph that holds itself; no honest one has this many parts at its root. */
const MOST_PARTS = 10_000;
const BRANCHES = ["allOf", "anyOf", "oneOf"] as const;
const CONDITIONS = ["if", "then", "else"] as const;

/**
 * The property names an object schema names at its root, as properties or as required, through local references, branches and
 * conditions. A reference that can't be read names none. Never throws on plain data, and takes time by the schema's size, however it refers to itself.
 */
export function namesOf(schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const parts = new Set<unknown>([schema]);
  // A set hands out what is added while it is walked, each part once.
  for (const part of parts) {
    if (!isRecord(part)) continue;
    const { properties, required, dependentSchemas, $ref: reference } = part;
    if (isRecord(properties)) for (const name of Object.keys(properties)) names.add(name);
    if (Array.isArray(required)) for (const name of required) if (typeof name === "string") names.add(name);
    if (isRecord(dependentSchemas)) for (const dependent of Object.values(dependentSchemas)) parts.add(dependent);
    for (const keyword of CONDITIONS) if (part[keyword] !== undefined) parts.add(part[keyword]);
    if (typeof reference === "string") parts.add(resolve(reference, schema));
    for (const keyword of BRANCHES) {
      const branches = part[keyword];
      if (Array.isArray(branches)) for (const branch of branches) parts.add(branch);
    }
    if (parts.size > MOST_PARTS) break;
  }
  return names;
}

/** Those of `wanted` that the schema names, without gathering all others: lists are long, and most schemas plain. */
export function namedOf<Name extends string>(schema: unknown, wanted: readonly Name[]): readonly Name[] {
  if (!isRecord(schema)) return [];
  if (typeof schema["$ref"] === "string" || BRANCHES.some((keyword) => Array.isArray(schema[keyword]))) {
    const names = namesOf(schema);
    return wanted.filter((name) => names.has(name));
  }
  const { properties } = schema;
  return isRecord(properties) ? wanted.filter((name) => Object.hasOwn(properties, name)) : [];
}

function resolve(reference: string, root: unknown): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let place: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = decode(step)?.replaceAll("~1", "/").replaceAll("~0", "~");
    if (name === undefined || typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Readonly<Record<string, unknown>>)[name];
  }
  return place;
}

/** `undefined`: its percent signs stand for nothing. */
function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
