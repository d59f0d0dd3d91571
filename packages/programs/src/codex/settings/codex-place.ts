import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SettingsContext } from "../../program/program-setup.ts";
import type { AppServerOptions } from "./app-server.ts";
import { findCodex } from "../records/codex-command.ts";
import type { ListedHook } from "./hook-trust.ts";
import { commandsIn } from "./hooks-json.ts";
import { definesHooks, tomlCommands } from "./hooks-toml.ts";
import { hookEntries, type HookEntry } from "./hook-entries.ts";

/** Codex on this machine: its folder, its two files, its command, and our entries for it. */
export interface CodexPlace {
  readonly home: string;
  readonly hooksJson: string;
  readonly configToml: string;
  readonly entries: readonly HookEntry[];
  /** `undefined`: no `codex` on the PATH. */
  readonly appServer: AppServerOptions | undefined;
}

export function codexPlace(context: SettingsContext): CodexPlace {
  const set = context.env["CODEX_HOME"];
  const home = set !== undefined && set !== "" ? set : join(context.userHome, ".codex");
  const command = findCodex(context.env["PATH"] ?? context.env["Path"] ?? "", context.platform);
  return {
    home,
    hooksJson: join(home, "hooks.json"),
    configToml: join(home, "config.toml"),
    entries: hookEntries(context.launcher, context.platform),
    appServer:
      command === undefined
        ? undefined
        : {
            command,
            env: { ...context.env, CODEX_HOME: home },
            cwd: existsSync(home) ? home : context.userHome,
            ...(context.waiting === undefined ? {} : { waiting: context.waiting }),
          },
  };
}

/** The file that new hooks belong into: the one that has hooks already, since Codex complains about two. */
export function hooksFile(place: CodexPlace, context: SettingsContext): "json" | "toml" {
  if (context.read(place.hooksJson) !== undefined) return "json";
  const toml = context.read(place.configToml);
  return toml !== undefined && definesHooks(toml) ? "toml" : "json";
}

/** Our entries that stand in neither file. */
export function missingEntries(place: CodexPlace, context: SettingsContext): readonly HookEntry[] {
  const present = new Set([...jsonCommands(context.read(place.hooksJson)), ...tomlCommands(context.read(place.configToml) ?? "")]);
  return place.entries.filter((entry) => !present.has(entry.command));
}

function jsonCommands(text: string | undefined): readonly string[] {
  try {
    return commandsIn(JSON.parse(text ?? "{}")).map((one) => one.command);
  } catch {
    return [];
  }
}

/** Picks our hooks out of what Codex lists. */
export function isOurs(place: CodexPlace): (hook: ListedHook) => boolean {
  const commands = new Set(place.entries.map((entry) => entry.command));
  return (hook) => commands.has(hook.command);
}
