import { existsSync } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";
import { replaceUserFile } from "../machine/replace-user-file.ts";
import type { FileChange, SettingsContext, SettingsPlan, SettingsStep } from "../program/program-setup.ts";
import { codexPlace, isOurs, type CodexPlace } from "./settings/codex-place.ts";
import { takeFromHooksJson } from "./settings/hooks-json.ts";
import { takeFromToml, tomlCommands } from "./settings/hooks-toml.ts";
import { forgetTrust, listHooks, type ListedHook } from "./settings/hook-trust.ts";

const RESTART = "Start Codex again, or open a new session: a running one keeps the hooks it started with.";
const LEFTOVER = "Codex could not be asked, so its trust entries for the removed hooks stay in config.toml; they have no effect.";

/** Takes Wakeshift's hooks and their trust out. Files that nobody touched since get their earlier bytes back exactly. */
export async function removeFromCodex(context: SettingsContext, applied: readonly FileChange[]): Promise<SettingsPlan> {
  const place = codexPlace(context);
  const hooksJson = takenFromJson(place, context, applied);
  const restored = restoredConfig(place, context, applied);
  if (restored !== undefined) return plan([...hooksJson, restored], [], [RESTART]);
  const { hooks, notes } = await hooksBefore(place);
  if (place.appServer === undefined || !hooks.some(isOurs(place))) {
    const files = [...hooksJson, ...takenFromToml(place, context, applied)];
    return plan(files, [], files.length > 0 ? [...notes, RESTART] : []);
  }
  const takeOut = (): void => {
    const [change] = takenFromToml(place, context, applied);
    if (change?.after !== undefined) replaceUserFile(change.path, change.after);
  };
  const step: SettingsStep = {
    description: "have Codex forget the trust of these hooks, through its own app-server (hooks/list, config/batchWrite)",
    apply: async () => {
      try {
        await forgetTrust(place.appServer ?? { command: "codex", env: {}, cwd: place.home }, hooks, isOurs(place), takeOut);
      } catch (error) {
        takeOut();
        throw notForgotten(error);
      }
      return [];
    },
  };
  return plan([...hooksJson], [step], [...notes, RESTART]);
}

function notForgotten(error: unknown): WakeshiftError {
  const isOurs = WakeshiftError.isInstance(error);
  const reason = (isOurs ? error.message : error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
  return new WakeshiftError(
    isOurs ? error.code : "internal",
    `Wakeshift's hooks are taken out, but Codex did not forget their trust: ${reason}. What is left of it in config.toml has no effect. ` +
      "A hook of yours that stood behind one of them may have to be trusted again: start codex and look under /hooks",
    { cause: error },
  );
}

function plan(files: readonly FileChange[], steps: readonly SettingsStep[], notes: readonly string[]): SettingsPlan {
  return { program: "codex", purpose: "", files, steps, notes };
}

function takenFromJson(place: CodexPlace, context: SettingsContext, applied: readonly FileChange[]): readonly FileChange[] {
  const before = context.read(place.hooksJson);
  if (before === undefined) return [];
  const change = applied.find((one) => one.path === place.hooksJson);
  if (change !== undefined && change.after === before) return [{ path: place.hooksJson, before, after: change.before }];
  const after = takeFromHooksJson(before, place.entries, place.hooksJson);
  return after === before ? [] : [{ path: place.hooksJson, before, after }];
}

function restoredConfig(place: CodexPlace, context: SettingsContext, applied: readonly FileChange[]): FileChange | undefined {
  const change = applied.find((one) => one.path === place.configToml);
  const now = context.read(place.configToml);
  return change !== undefined && change.after === now ? { path: place.configToml, before: now, after: change.before } : undefined;
}

function takenFromToml(place: CodexPlace, context: SettingsContext, applied: readonly FileChange[]): readonly FileChange[] {
  const before = context.read(place.configToml) ?? "";
  const commands = new Set(tomlCommands(before));
  if (!place.entries.some((entry) => commands.has(entry.command))) return [];
  const after = takeFromToml(before, place.entries, applied.find((one) => one.path === place.configToml)?.before);
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
  if (!existsSync(place.home)) return { hooks: [], notes: [] };
  if (place.appServer === undefined) return { hooks: [], notes: [LEFTOVER] };
  try {
    return { hooks: (await listHooks(place.appServer)).hooks, notes: [] };
  } catch {
    return { hooks: [], notes: [LEFTOVER] };
  }
}
