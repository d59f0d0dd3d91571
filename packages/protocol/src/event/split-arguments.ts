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

/** The names in the `required` list of an arguments schema. */
export function requiredNames(schema: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const listed: unknown = schema["required"];
  const names: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return new Set(names.filter((name) => typeof name === "string"));
}
