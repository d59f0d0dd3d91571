import { describeRun } from "../program/describe-run.ts";
import type { Node } from "jsonc-parser";
import { WakeshiftError } from "@wakeshift/protocol";
import type { FileChange, SettingsMaker, SettingsPlan } from "../program/program-setup.ts";
import { HOOK_EVENTS, hookEntries, type HookCommands } from "./settings/hook-entries.ts";
import { settingsPath } from "./settings/settings-path.ts";
import { appendChild, indentOf, isPlainJson, member, parseSettings, removeChild } from "./settings/settings-text.ts";

/** The settings with Wakeshift's hooks behind those that are there. Events that have one keep it as it is. */
export function addHooks(text: string | undefined, entries: ReturnType<typeof hookEntries>, path: string): string {
  let settings = text === undefined || text.trim() === "" ? "{}\n" : text;
  for (const event of HOOK_EVENTS) {
    const indent = indentOf(settings);
    const hooks = member(parse(settings, path), "hooks");
    const list = member(hooks, event);
    if (ownGroups(list).length > 0) continue;
    const groups = (entries[event] ?? []).map((group) => JSON.stringify(group, null, indent));
    if (list !== undefined) {
      for (const group of groups)
        settings = appendChild(settings, needs(member(member(parse(settings, path), "hooks"), event), "array", path), group, indent);
    } else if (hooks !== undefined) {
      settings = appendChild(settings, needs(hooks, "object", path), `"${event}": ${arrayText(groups, indent)}`, indent);
    } else {
      const object = `{\n${indent}"${event}": ${arrayText(groups, indent).replaceAll("\n", `\n${indent}`)}\n}`;
      settings = appendChild(settings, parse(settings, path), `"hooks": ${object}`, indent);
    }
  }
  return settings;
}

/** The settings without Wakeshift's hooks. Lists that only they filled go too, unless `before` had them. */
export function removeHooks(text: string, before: string | undefined, path: string): string {
  const earlier = before === undefined ? undefined : member(parseSettings(before), "hooks");
  let settings = text;
  for (const event of HOOK_EVENTS) {
    for (;;) {
      const list = member(member(parse(settings, path), "hooks"), event);
      const [own] = ownGroups(list);
      if (list === undefined || own === undefined) break;
      settings = removeOwn(settings, list, own);
      const left = member(member(parse(settings, path), "hooks"), event);
      if ((left?.children?.length ?? 0) === 0 && member(earlier, event) === undefined)
        settings = removeMember(settings, member(parse(settings, path), "hooks"), event);
    }
  }
  // Nothing of ours was there: an empty "hooks" is the user's own.
  if (settings === text) return text;
  const root = parse(settings, path);
  const hooks = member(root, "hooks");
  return hooks?.children?.length === 0 && earlier === undefined ? removeMember(settings, root, "hooks") : settings;
}

/** The commands of Wakeshift's hooks in the settings, by event. */
export function ownCommands(text: string): ReadonlyMap<string, readonly string[]> {
  const hooks = member(parseSettings(text), "hooks");
  return new Map(
    HOOK_EVENTS.map((event) => [
      event,
      ownGroups(member(hooks, event)).flatMap((group) => ownHooks(group).map((hook) => String(member(hook, "command")?.value))),
    ]),
  );
}

/** Whether the same hooks come from Wakeshift's plugin, turned on in these settings. */
export function hasPlugin(text: string | undefined): boolean {
  const plugins = text === undefined ? undefined : member(parseSettings(text), "enabledPlugins");
  return (plugins?.children ?? []).some(
    (property) => String(property.children?.[0]?.value).startsWith("wakeshift@") && property.children?.[1]?.value === true,
  );
}

/** The shell command of one event's hook. It names the launcher, whose path never changes. */
export function hookCommand(launcher: string, event: string): string {
  return `${quoted(launcher)} hook claude-code ${event}`;
}

/** The commands that users' settings hold. The folder `live` has a file for each conversation with something subscribed or pending. */
export function hookCommands(launcher: string, wakeshiftHome: string): HookCommands {
  const run = (event: string): string => hookCommand(launcher, event);
  const guard = `[ -z "$(ls -A ${quoted(`${wakeshiftHome}/live`)} 2>/dev/null)" ]`;
  return { run, runIfAnythingLives: (event) => `${guard} || ${run(event)}` };
}

export const claudeCodeSettings: SettingsMaker = {
  find: async (context) => {
    const version = await context.run.run("claude", ["--version"], { timeoutMs: 15_000 });
    const found = version.exitCode === 0;
    if (found) return { found, detail: `Claude Code ${version.stdout.trim()}` };
    return { found, fails: version.missing !== true, detail: describeRun("claude", ["--version"], version) };
  },
  install: async (context) => {
    const path = settingsPath(context);
    const before = context.read(path);
    if (hasPlugin(before)) return plan([], []);
    const entries = hookEntries(hookCommands(context.launcher, context.wakeshiftHome));
    const after = addHooks(before, entries, path);
    const events = HOOK_EVENTS.filter((event) => (entries[event]?.length ?? 0) > 0).join(", ");
    const purpose = `hooks after any you have (${events}); each calls ${context.launcher}. No permission and no tool is allowed by it`;
    const notes = [
      "Sessions that run now get the hooks when they are started again.",
      ...(isPlainJson(after) ? [] : [`${path} has comments or trailing commas: Claude Code reads nothing of it until you take them out.`]),
    ];
    return plan(after === before ? [] : [{ path, before, after }], notes, purpose);
  },
  remove: async (context, applied) => {
    const path = settingsPath(context);
    const now = context.read(path);
    if (now === undefined) return plan([], []);
    const change = applied.find((one) => one.path === path);
    const after = change !== undefined && change.after === now ? change.before : removeHooks(now, change?.before, path);
    return plan(after === now ? [] : [{ path, before: now, after }], []);
  },
};

function plan(files: readonly FileChange[], notes: readonly string[], purpose = ""): SettingsPlan {
  return { program: "claude-code", purpose, files, steps: [], notes: files.length === 0 ? [] : notes };
}

function parse(text: string, path: string): Node {
  const root = parseSettings(text);
  if (root === undefined)
    throw new WakeshiftError(
      "bad_request",
      `${path} is not a JSON object, so it was left alone. Mend it (Claude Code can't read it either), then run this again.`,
    );
  return root;
}

function needs(node: Node | undefined, type: "array" | "object", path: string): Node {
  if (node?.type !== type)
    throw new WakeshiftError(
      "bad_request",
      `In ${path}, "hooks" is not in the shape Claude Code documents (${type} expected), so it was left alone. Mend it, then run this again.`,
    );
  return node;
}

function arrayText(groups: readonly string[], indent: string): string {
  return `[\n${groups.map((group) => `${indent}${group.replaceAll("\n", `\n${indent}`)}`).join(",\n")}\n]`;
}

function removeOwn(text: string, list: Node, group: Node): string {
  const hooks = member(group, "hooks");
  const own = ownHooks(group);
  if (hooks === undefined || own.length === (hooks.children?.length ?? 0)) return removeChild(text, list, group);
  const [first] = own;
  return first === undefined ? text : removeChild(text, hooks, first);
}

function removeMember(text: string, object: Node | undefined, name: string): string {
  const property = object?.children?.find((one) => one.children?.[0]?.value === name);
  return object === undefined || property === undefined ? text : removeChild(text, object, property);
}

function ownGroups(list: Node | undefined): readonly Node[] {
  return (list?.type === "array" ? (list.children ?? []) : []).filter((group) => ownHooks(group).length > 0);
}

function ownHooks(group: Node): readonly Node[] {
  const hooks = member(group, "hooks");
  return (hooks?.type === "array" ? (hooks.children ?? []) : []).filter((hook) =>
    / hook claude-code \w+$/.test(String(member(hook, "command")?.value ?? "")),
  );
}

/** For a POSIX shell; Claude Code runs hooks in one on Windows too, where Git Bash is installed. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
