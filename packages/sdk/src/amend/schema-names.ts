const DEEPEST = 16;
const BRANCHES = ["allOf", "anyOf", "oneOf"] as const;

/** The property names an object schema names at its root, through local references and branches. */
export function namesOf(schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  collect(schema, schema, names, DEEPEST);
  return names;
}

function collect(schema: unknown, root: unknown, names: Set<string>, depthLeft: number): void {
  if (!isRecord(schema) || depthLeft === 0) return;
  const { properties, $ref: reference } = schema;
  if (isRecord(properties)) for (const name of Object.keys(properties)) names.add(name);
  if (typeof reference === "string") collect(resolve(reference, root), root, names, depthLeft - 1);
  for (const keyword of BRANCHES) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) for (const branch of branches) collect(branch, root, names, depthLeft - 1);
  }
}

function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#/")) return reference === "#" ? root : undefined;
  let place: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    place = isRecord(place) ? place[name] : undefined;
  }
  return place;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
