import { WakeshiftError } from "@wakeshift/protocol";
import { ownCommand } from "../machine/own-command.ts";
import type { FileChange, SettingsContext, SettingsMaker, SettingsPlan, SettingsStep } from "../program/program-setup.ts";
import type { AppServerOptions } from "./settings/app-server.ts";
import { codexPlace, hooksFile, isOurs, missingEntries, type CodexPlace } from "./settings/codex-place.ts";
import { addToHooksJson } from "./settings/hooks-json.ts";
import { addToToml, tomlCommands } from "./settings/hooks-toml.ts";
import { isTrusted, listHooks, trustHooks } from "./settings/hook-trust.ts";
import { previewTrust } from "./settings/preview-trust.ts";
import { removeFromCodex } from "./remove.ts";

const RESTART = "Start Codex again, or open a new session: a running one keeps the hooks it started with.";

/** Adds Wakeshift's two hooks after the user's own, has Codex trust them, and takes both back. */
export const codexSettings: SettingsMaker = {
  find: (context) => {
    const command = codexPlace(context).appServer?.command;
    return Promise.resolve(command === undefined ? { found: false, detail: "no codex on the PATH" } : { found: true, detail: command });
  },
  install,
  remove: removeFromCodex,
};

async function install(context: SettingsContext): Promise<SettingsPlan> {
  const place = codexPlace(context);
  const files = addedFiles(place, context);
  const standIn = files[0]?.path ?? (hooksFile(place, context) === "toml" ? place.configToml : place.hooksJson);
  const steps = files.length > 0 || !(await areTrusted(place, standIn)) ? [trustStep(place, context, standIn, files)] : [];
  const events = place.entries.map((entry) => entry.event).join(" and ");
  const purpose = files.length === 0 ? "" : `two hooks after any you have (${events}); both call ${context.launcher}`;
  return { program: "codex", purpose, files, steps, notes: steps.length > 0 ? [RESTART] : [] };
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

async function areTrusted(place: CodexPlace, standIn: string): Promise<boolean> {
  if (place.appServer === undefined) return false;
  const list = await listHooks(place.appServer).catch((error: unknown) => Promise.reject(notTrusted(error, standIn)));
  const ours = list.hooks.filter(isOurs(place));
  return ours.length >= place.entries.length && ours.every(isTrusted);
}

/** The hooks are written before they can be trusted: who is told that this failed has to know that they are there. */
function notTrusted(error: unknown, standIn: string): WakeshiftError {
  const isOurs = WakeshiftError.isInstance(error);
  const reason = (isOurs ? error.message : error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
  return new WakeshiftError(
    isOurs ? error.code : "internal",
    `Wakeshift's hooks stand in ${standIn}, but Codex doesn't trust them yet and skips them, so nothing is woken: ${reason}. ` +
      `Run \`${ownCommand(["setup", "codex"])}\` again once that works; or start codex and trust both hooks under /hooks; ` +
      `or take them out again: ${ownCommand(["setup", "codex", "--remove"])}`,
    { cause: error },
  );
}

function trustStep(place: CodexPlace, context: SettingsContext, standIn: string, files: readonly FileChange[]): SettingsStep {
  const before = context.read(place.configToml);
  return {
    description: `have Codex trust these two hooks, through its own app-server (hooks/list, config/batchWrite), which notes their hashes in ${place.configToml}: it runs no hook that its user hasn't trusted`,
    preview: () => previewTrust(place, context, files),
    apply: async () => {
      await trustHooks(requireCodex(place), isOurs(place), place.entries.length).catch((error: unknown) =>
        Promise.reject(notTrusted(error, standIn)),
      );
      const after = context.read(place.configToml);
      // Codex keeps comments and order when it takes trust out again, but not every last newline.
      return after === undefined || namesUs(before ?? "", place) ? [] : [{ path: place.configToml, before, after }];
    },
  };
}

/** Whether a config.toml holds hooks of ours, or trust that may be theirs: such bytes are none to go back to. */
function namesUs(text: string, place: CodexPlace): boolean {
  const commands = new Set(tomlCommands(text));
  return place.entries.some((entry) => commands.has(entry.command)) || text.includes(`${place.hooksJson}:post_tool_use:`);
}

function requireCodex(place: CodexPlace): AppServerOptions {
  if (place.appServer !== undefined) return place.appServer;
  throw new WakeshiftError(
    "bad_request",
    "There is no codex on the PATH any more, so its hooks can't be trusted. Put it there and run the command again, or trust them in Codex with /hooks.",
  );
}
