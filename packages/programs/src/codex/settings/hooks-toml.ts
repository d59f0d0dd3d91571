import { parse } from "smol-toml";
import type { HookEntry } from "./hook-entries.ts";
import { commandsIn } from "./hooks-json.ts";

/** The entries as tables that can stand at the end of a config.toml. */
export function tomlBlock(entries: readonly HookEntry[]): string {
  return entries.map(tableOf).join("\n");
}

function tableOf(entry: HookEntry): string {
  const matcher = entry.matcher === undefined ? [] : [`matcher = ${JSON.stringify(entry.matcher)}`];
  return [
    `[[hooks.${entry.event}]]`,
    ...matcher,
    "",
    `[[hooks.${entry.event}.hooks]]`,
    'type = "command"',
    `command = ${JSON.stringify(entry.command)}`,
    `timeout = ${String(entry.timeout)}`,
    "",
  ].join("\n");
}

/** Whether this config.toml defines hooks itself. Hooks' trust, which stands there in any case, doesn't count. */
export function definesHooks(text: string): boolean {
  const hooks = parseOrNothing(text)?.["hooks"];
  return hooks !== null && typeof hooks === "object" && Object.keys(hooks).some((event) => event !== "state");
}

/** The commands of all hooks in a config.toml. */
export function tomlCommands(text: string): readonly string[] {
  return commandsIn(parseOrNothing(text)).map((one) => one.command);
}

/** The text with the entries at its end, or `undefined` where its own hooks are written so that nothing can be appended. */
export function addToToml(text: string, entries: readonly HookEntry[]): string | undefined {
  const present = new Set(tomlCommands(text));
  const missing = entries.filter((entry) => !present.has(entry.command));
  if (missing.length === 0) return text;
  const after = `${text}${separatorAfter(text)}${tomlBlock(missing)}`;
  const commands = new Set(tomlCommands(after));
  return entries.every((entry) => commands.has(entry.command)) ? after : undefined;
}

/**
 * The text without the entries, or `undefined` where they no longer stand there as they were written. Each is looked for
 * by itself: Codex puts its trust tables between them. `before` is the text from before they were added, where known: a
 * file that didn't end in a newline gets that end back.
 */
export function takeFromToml(text: string, entries: readonly HookEntry[], before?: string): string | undefined {
  let now = text;
  let first = true;
  for (const entry of entries) {
    const table = tableOf(entry);
    const at = now.indexOf(table);
    if (at === -1) return undefined;
    const added = first && before !== undefined && before !== "" && !before.endsWith("\n") ? "\n\n" : "\n";
    const from = now.slice(0, at).endsWith(`\n${added}`) || now.slice(0, at).endsWith("\n\n") ? at - added.length : at;
    now = now.slice(0, from) + now.slice(at + table.length);
    first = false;
  }
  return now;
}

function separatorAfter(text: string): string {
  if (text === "") return "";
  return text.endsWith("\n") ? "\n" : "\n\n";
}

function parseOrNothing(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
