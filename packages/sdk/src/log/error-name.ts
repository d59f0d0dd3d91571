/** What a name of an error's type looks like. Anything else might be a message. */
const NAME = /^[\p{L}_$][\p{L}\p{N}_$.-]{0,99}$/u;
const DEEPEST = 20;

/** An error's type, for the log: its message might hold a secret. Never throws, whatever was thrown. */
export function errorNameOf(error: unknown): string {
  try {
    const name = typeof error === "object" && error !== null ? typeNameOf(error) : undefined;
    return name !== undefined && NAME.test(name) ? name : typeof error;
  } catch {
    return typeof error;
  }
}

/** The name that the error or its class sets, else the class's own. */
function typeNameOf(error: object): string | undefined {
  const given: unknown = error.constructor;
  const own = typeof given === "function" && given !== Object ? given.name : undefined;
  const said: unknown = error instanceof Error ? error.name : undefined;
  return typeof said === "string" && said !== "" && !ancestorNamesOf(given).includes(said) ? said : own;
}

/** A class that sets no name has one of these: its ancestor's. */
function ancestorNamesOf(given: unknown): readonly string[] {
  const names: string[] = [];
  let ancestor: unknown = Object.getPrototypeOf(given);
  for (let depth = 0; typeof ancestor === "function" && depth < DEEPEST; depth += 1) {
    names.push(ancestor.name);
    ancestor = Object.getPrototypeOf(ancestor);
  }
  return names;
}
