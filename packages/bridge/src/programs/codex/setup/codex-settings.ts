import { existsSync, rmSync } from "node:fs";
import type { FileChange, SettingsContext, SettingsMaker, SettingsPlan, SettingsStep } from "../../program.ts";
import type { AppServerOptions } from "./app-server.ts";
import { WakeshiftError } from "@wakeshift/protocol";
import { codexPlace, hooksFile, missingEntries, type CodexPlace } from "./codex-place.ts";
import { addToHooksJson, takeFromHooksJson } from "./hooks-json.ts";
import { addToToml, takeFromToml, tomlCommands } from "./hooks-toml.ts";
import { forgetTrust, isTrusted, listHooks, trustHooks, type ListedHook } from "./hook-trust.ts";

const RESTART = "Start Codex again, or open a new session: a running one keeps the hooks it started with.";

/** Adds Wakeshift's two hooks after the user's own, has Codex trust them, and takes both back. */
export const codexSettings: SettingsMaker = {
  find: (context) => {
    const command = codexPlace(context).appServer?.command;
    return Promise.resolve(command === undefined ? { found: false, detail: "no codex on the PATH" } : { found: true, detail: command });
  },
  install,
  remove,
};

async function install(context: SettingsContext): Promise<SettingsPlan> {
  const place = codexPlace(context);
  const files = addedFiles(place, context);
  const steps = files.length > 0 || !(await areTrusted(place)) ? [trustStep(place)] : [];
  return {
    program: "codex",
    files: steps.length === 0 ? files : [...files, ...trustFile(place, files, context)],
    steps,
    notes: steps.length > 0 ? [RESTART] : [],
  };
}

function addedFiles(place: CodexPlace, context: SettingsContext): readonly FileChange[] {
  if (missingEntries(place, context).length === 0) return [];
  if (hooksFile(place, context) === "toml") {
    const before = context.read(place.configToml) ?? "";
    const after = addToToml(before, place.entries);
    if (after !== undefined) return [{ path: place.configToml, before, after }];
  }
  const before = context.read(place.hooksJson);
  return [{ path: place.hooksJson, before, after: addToHooksJson(before, place.entries, place.hooksJson) }];
}

/** Codex keeps trust in config.toml. Where there was none, a removal has to know that. */
function trustFile(place: CodexPlace, files: readonly FileChange[], context: SettingsContext): readonly FileChange[] {
  if (files.some((change) => change.path === place.configToml) || context.read(place.configToml) !== undefined) return [];
  return [{ path: place.configToml, before: undefined, after: "" }];
}

async function areTrusted(place: CodexPlace): Promise<boolean> {
  if (place.appServer === undefined) return false;
  const ours = (await listHooks(place.appServer)).hooks.filter(isOurs(place));
  return ours.length >= place.entries.length && ours.every(isTrusted);
}

function trustStep(place: CodexPlace): SettingsStep {
  return {
    description:
      "have Codex trust these two hooks, through its own app-server (hooks/list, config/batchWrite): it runs no hook that its user hasn't trusted",
    apply: async () => {
      await trustHooks(requireCodex(place), isOurs(place), place.entries.length);
    },
  };
}

async function remove(context: SettingsContext, applied: readonly FileChange[]): Promise<SettingsPlan> {
  const place = codexPlace(context);
  const files = [...takenFromJson(place, context, applied), ...takenFromToml(place, context)];
  const { hooks, notes } = await hooksBefore(place);
  const ours = isOurs(place);
  const madeConfig = applied.some((change) => change.path === place.configToml && change.before === undefined);
  const steps =
    hooks.some(ours) && place.appServer !== undefined
      ? [forgetStep(place.appServer, hooks, ours, madeConfig ? place.configToml : undefined, context)]
      : [];
  const emptied =
    steps.length === 0 && madeConfig && context.read(place.configToml) === ""
      ? [{ path: place.configToml, before: "", after: undefined }]
      : [];
  return { program: "codex", files: [...files, ...emptied], steps, notes: files.length > 0 ? [...notes, RESTART] : notes };
}

function takenFromJson(place: CodexPlace, context: SettingsContext, applied: readonly FileChange[]): readonly FileChange[] {
  const before = context.read(place.hooksJson);
  if (before === undefined) return [];
  const change = applied.find((one) => one.path === place.hooksJson);
  if (change !== undefined && change.after === before) return [{ path: place.hooksJson, before, after: change.before }];
  const after = takeFromHooksJson(before, place.entries, place.hooksJson);
  return after === before ? [] : [{ path: place.hooksJson, before, after }];
}

function takenFromToml(place: CodexPlace, context: SettingsContext): readonly FileChange[] {
  const before = context.read(place.configToml) ?? "";
  const commands = new Set(tomlCommands(before));
  if (!place.entries.some((entry) => commands.has(entry.command))) return [];
  const after = takeFromToml(before, place.entries);
  if (after === undefined) {
    const named = place.entries.map((entry) => entry.command).join(" and ");
    throw new WakeshiftError(
      "bad_request",
      `Wakeshift's hooks in ${place.configToml} were edited since they were added. Take out the tables whose command is ${named}, then run the command again.`,
    );
  }
  return [{ path: place.configToml, before, after }];
}

async function hooksBefore(place: CodexPlace): Promise<{ readonly hooks: readonly ListedHook[]; readonly notes: readonly string[] }> {
  const leftover = "Codex could not be asked, so its trust entries for the removed hooks stay in config.toml; they have no effect.";
  if (place.appServer === undefined || !existsSync(place.home)) return { hooks: [], notes: existsSync(place.home) ? [leftover] : [] };
  try {
    return { hooks: (await listHooks(place.appServer)).hooks, notes: [] };
  } catch {
    return { hooks: [], notes: [leftover] };
  }
}

function forgetStep(
  appServer: AppServerOptions,
  hooks: readonly ListedHook[],
  ours: (hook: ListedHook) => boolean,
  madeConfig: string | undefined,
  context: SettingsContext,
): SettingsStep {
  return {
    description: "have Codex forget the trust of these hooks, through its own app-server",
    apply: async () => {
      await forgetTrust(appServer, hooks, ours);
      if (madeConfig !== undefined && context.read(madeConfig) === "") rmSync(madeConfig, { force: true });
    },
  };
}

function isOurs(place: CodexPlace): (hook: ListedHook) => boolean {
  const commands = new Set(place.entries.map((entry) => entry.command));
  return (hook) => commands.has(hook.command);
}

function requireCodex(place: CodexPlace): AppServerOptions {
  if (place.appServer !== undefined) return place.appServer;
  throw new WakeshiftError(
    "bad_request",
    "There is no codex on the PATH, so its hooks can't be trusted. Put it there and run the command again, or trust them in Codex with /hooks.",
  );
}
