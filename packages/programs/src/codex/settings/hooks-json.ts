import jsonc from "jsonc-parser";
import type { JSONPath } from "jsonc-parser";
import { isRecord, WakeshiftError } from "@wakeshift/protocol";
import { hookGroup, type HookEntry } from "./hook-entries.ts";

type Json = Readonly<Record<string, unknown>>;

/** The commands in a hooks document (`{hooks: {EVENT: [{hooks: [{command}]}]}}`), with where each stands. */
export function commandsIn(
  document: unknown,
): readonly { readonly event: string; readonly group: number; readonly hook: number; readonly command: string }[] {
  const hooks = record(record(document)["hooks"]);
  return Object.entries(hooks).flatMap(([event, groups]) =>
    list(groups).flatMap((one, group) =>
      list(record(one)["hooks"]).flatMap((handler, hook) => {
        const command = record(handler)["command"];
        return typeof command === "string" ? [{ event, group, hook, command }] : [];
      }),
    ),
  );
}

/**
 * Appends the entries that are missing after whatever stands there, leaving every other byte as it is. Appended, not
 * put in front: Codex's trust of the user's own hooks is bound to their position.
 *
 * @throws WakeshiftError `bad_request` where Codex itself couldn't read the file.
 */
export function addToHooksJson(text: string | undefined, entries: readonly HookEntry[], path: string): string {
  if (text === undefined) {
    return `${JSON.stringify({ hooks: Object.fromEntries(entries.map((entry) => [entry.event, [hookGroup(entry)]])) }, null, 2)}\n`;
  }
  const document = parseHooksJson(text, path);
  const present = new Set(commandsIn(document).map((one) => `${one.event} ${one.command}`));
  let now = text;
  for (const entry of entries.filter((one) => !present.has(`${one.event} ${one.command}`))) {
    const exists = record(record(JSON.parse(now))["hooks"])[entry.event] !== undefined;
    now = exists
      ? edit(now, ["hooks", entry.event, -1], hookGroup(entry), true)
      : edit(now, ["hooks", entry.event], [hookGroup(entry)], false);
  }
  return now;
}

/** Takes the entries out again, and whatever only held them. */
export function takeFromHooksJson(text: string, entries: readonly HookEntry[], path: string): string {
  const ours = new Set(entries.map((entry) => entry.command));
  let now = text;
  for (;;) {
    const document = parseHooksJson(now, path);
    // From the end: the positions of what stands before stay true.
    const found = commandsIn(document).findLast((one) => ours.has(one.command));
    if (found === undefined) return now;
    now = cut(now, emptiedBy(document, found));
  }
}

/** The outermost thing that holds nothing but this one handler. */
function emptiedBy(document: unknown, at: { readonly event: string; readonly group: number; readonly hook: number }): JSONPath {
  const hooks = record(record(document)["hooks"]);
  const groups = list(hooks[at.event]);
  if (list(record(groups[at.group])["hooks"]).length > 1) return ["hooks", at.event, at.group, "hooks", at.hook];
  return groups.length > 1 ? ["hooks", at.event, at.group] : ["hooks", at.event];
}

function parseHooksJson(text: string, path: string): unknown {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new WakeshiftError(
      "bad_request",
      `${path} is not JSON, so Codex runs none of its hooks; it was left alone. Mend it, then run the command again.`,
      { cause },
    );
  }
  const hooks = isRecord(document) ? (document["hooks"] ?? {}) : undefined;
  if (!isRecord(hooks) || Object.values(hooks).some((groups) => !Array.isArray(groups))) {
    throw new WakeshiftError(
      "bad_request",
      `${path} does not have the form {"hooks": {"EVENT": [...]}}; it was left alone. Mend it, then run the command again.`,
    );
  }
  return document;
}

/** Without formatting options: with them, jsonc-parser also reformats what stands around the edit. */
function edit(text: string, path: JSONPath, value: unknown, isArrayInsertion: boolean): string {
  return jsonc.applyEdits(text, jsonc.modify(text, path, value, { isArrayInsertion }));
}

/** Cuts a property or an element with the comma that bound it. jsonc-parser's own removal miscounts at the end of a list. */
function cut(text: string, path: JSONPath): string {
  const value = jsonc.findNodeAtLocation(jsonc.parseTree(text) ?? { type: "null", offset: 0, length: 0 }, path);
  const node = typeof path.at(-1) === "string" ? value?.parent : value;
  const siblings = node?.parent?.children;
  if (node === undefined || siblings === undefined) return text;
  const at = siblings.indexOf(node);
  const previous = siblings[at - 1];
  const next = siblings[at + 1];
  const from = previous === undefined ? node.offset : previous.offset + previous.length;
  const to = previous === undefined && next !== undefined ? next.offset : node.offset + node.length;
  return text.slice(0, from) + text.slice(to);
}

function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
