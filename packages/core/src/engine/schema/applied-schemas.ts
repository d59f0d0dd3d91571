import { isRecord } from "@wakeshift/protocol";
/** How many schemas may apply to one value: more than any that was written by hand or by a generator. */
const MAX_APPLIED = 10_000;

/** Keywords whose schemas apply to the same value as the schema they stand in: one schema, a list, or by name. */
const ONE = ["not", "if", "then", "else"] as const;
const LISTS = ["allOf", "anyOf", "oneOf"] as const;
const NAMED = ["dependentSchemas", "dependencies"] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Refuses a schema of which more than {@link MAX_APPLIED} parts apply to one and the same value. A few references that are each used
 * twice double them at every level, which no limit of its size holds.
 *
 * A reference that isn't a pointer into the schema counts as one; checking itself is bounded by time.
 *
 * @throws Error saying so, or that a schema refers to itself without end
 */
export function assertCountable(schema: Fields): void {
  const counted = new Map<object, number>();
  const count = (part: unknown): number => {
    if (!isFields(part)) return 1;
    const known = counted.get(part);
    if (known === Number.POSITIVE_INFINITY) throw new Error("it refers to itself without end");
    if (known !== undefined) return known;
    counted.set(part, Number.POSITIVE_INFINITY);
    let applied = 1;
    for (const inner of appliedBeside(part, schema)) applied += count(inner);
    counted.set(part, applied);
    if (applied > MAX_APPLIED) throw new Error(`it applies more than ${MAX_APPLIED} schemas to one value; name each of its parts once`);
    return applied;
  };
  const parts: unknown[] = [schema];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (isFields(part)) count(part);
    if (typeof part === "object" && part !== null) parts.push(...(Object.values(part) as unknown[]));
  }
}

function appliedBeside(part: Fields, root: Fields): unknown[] {
  const reference = part["$ref"];
  const referred = typeof reference === "string" ? pointedAt(root, reference) : undefined;
  return [
    ...(referred === undefined ? [] : [referred]),
    ...ONE.flatMap((keyword) => (part[keyword] === undefined ? [] : [part[keyword]])),
    ...LISTS.flatMap((keyword) => (Array.isArray(part[keyword]) ? (part[keyword] as unknown[]) : [])),
    ...NAMED.flatMap((keyword) => (isFields(part[keyword]) ? Object.values(part[keyword]) : [])),
  ];
}

/** What a `$ref` such as `#/$defs/a` points at. */
function pointedAt(root: Fields, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const escaped of reference.slice(2).split("/")) {
    const name = unescaped(escaped);
    if (typeof at !== "object" || at === null || name === undefined || !Object.hasOwn(at, name)) return undefined;
    at = (at as Fields)[name];
  }
  return at;
}

function unescaped(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return isRecord(value);
}
