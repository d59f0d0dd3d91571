/** An event's arguments, by what they are for. */
export interface SplitArguments {
  /** These make the route. */
  readonly required: Readonly<Record<string, unknown>>;
  /** These are filters: checked when an occurrence is read. */
  readonly optional: Readonly<Record<string, unknown>>;
}

/** Splits arguments by the `required` list of the event's arguments schema. A value of `undefined` counts as not given. */
export function splitArguments(schema: Readonly<Record<string, unknown>>, args: Readonly<Record<string, unknown>>): SplitArguments {
  const names = requiredNames(schema);
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return {
    required: Object.fromEntries(given.filter(([name]) => names.has(name))),
    optional: Object.fromEntries(given.filter(([name]) => !names.has(name))),
  };
}

/** Whether two arguments schemas require the same arguments, so that they make routes of the same arguments. */
export function requireAlike(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const [names, others] = [requiredNames(one), requiredNames(other)];
  return names.size === others.size && [...names].every((name) => others.has(name));
}

/** Whether all arguments that a schema requires are there. Only then does any occurrence have the route that they make. */
export function hasRequired(schema: Readonly<Record<string, unknown>>, args: Readonly<Record<string, unknown>>): boolean {
  return [...requiredNames(schema)].every((name) => Object.hasOwn(args, name));
}

function requiredNames(schema: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const listed: unknown = schema["required"];
  const names: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return new Set(names.filter((name) => typeof name === "string"));
}
