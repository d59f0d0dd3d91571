import { isRecord, TOOL_ARGUMENTS } from "@wakeshift/protocol";

/** A call's arguments without Wakeshift's, and the values of those. */
export interface TakenApart {
  readonly args: Readonly<Record<string, unknown>>;
  readonly taken: Readonly<Partial<Record<(typeof TOOL_ARGUMENTS)[number], string>>>;
}

const LONGEST = 1_024;

/** Whether any of Wakeshift's names stands in these arguments. What isn't a plain object is the host's to refuse. */
export function carriesToolArguments(args: unknown): args is Readonly<Record<string, unknown>> {
  return isRecord(args) && TOOL_ARGUMENTS.some((name) => Object.hasOwn(args, name));
}

/** Takes Wakeshift's arguments out, but for the names the author's own tool declares. A value that is no string tells nothing. */
export function takeArguments(args: Readonly<Record<string, unknown>>, declares: ReadonlySet<string>): TakenApart {
  const own = Object.entries(args).filter(([name]) => !isOurs(name, declares));
  const ours = Object.entries(args).filter(
    ([name, value]) => isOurs(name, declares) && typeof value === "string" && value !== "" && value.length <= LONGEST,
  );
  return { args: Object.fromEntries(own), taken: Object.fromEntries(ours) };
}

function isOurs(name: string, declares: ReadonlySet<string>): boolean {
  return (TOOL_ARGUMENTS as readonly string[]).includes(name) && !declares.has(name);
}
