import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Check, SettingsContext } from "../../program/program-setup.ts";
import { configFolder } from "../session/session-registry.ts";
import { settingsPath } from "./settings-path.ts";
import { member, parseSettings } from "./settings-text.ts";

/** A file that has a say in whether hooks run. `policy`: it is not the user's to change. */
interface DecidingFile {
  readonly path: string;
  readonly policy: boolean;
}

/**
 * Which settings keep Claude Code from running any hook of ours: `disableAllHooks` in any file that counts in this folder, and
 * `allowManagedHooksOnly` in an organization's. One failed check for each of them, none if hooks run.
 */
export function checkHooksEnabled(context: SettingsContext): readonly Check[] {
  return decidingFiles(context).flatMap(({ path, policy }) => {
    const root = parseSettings(readIfPossible(context, path) ?? "{}");
    const isOn = (name: string): boolean => member(root, name)?.value === true;
    if (policy && isOn("allowManagedHooksOnly"))
      return [failed(`${path}, your organization's policy, lets only its own hooks run ("allowManagedHooksOnly")`, askFor(path))];
    if (!isOn("disableAllHooks")) return [];
    return [
      policy
        ? failed(`${path}, your organization's policy, turns all hooks off ("disableAllHooks")`, askFor(path))
        : failed(`${path} turns all hooks off ("disableAllHooks")`, `remove "disableAllHooks" from ${path}`),
    ];
  });
}

const askFor = (path: string): string => `ask whoever manages ${path} to add Wakeshift's hooks to it, or to allow users' own`;

function failed(detail: string, fix: string): Check {
  return { program: "claude-code", check: "hooks enabled", ok: false, detail, fix };
}

function decidingFiles(context: SettingsContext): readonly DecidingFile[] {
  const managed = managedFolder(context.platform);
  const policies = [
    join(managed, "managed-settings.json"),
    ...jsonFiles(join(managed, "managed-settings.d")),
    join(configFolder(context.env, context.userHome), "remote-settings.json"),
  ];
  const own = [
    settingsPath(context),
    join(context.folder, ".claude", "settings.json"),
    join(context.folder, ".claude", "settings.local.json"),
  ];
  return [
    ...policies.map((path) => ({ path, policy: true })),
    // In the home folder itself, the project's settings are the user's.
    ...[...new Set(own)].map((path) => ({ path, policy: false })),
  ];
}

function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  return platform === "win32" ? "C:\\Program Files\\ClaudeCode" : "/etc/claude-code";
}

function jsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** A policy that this user may not read is the program's to enforce. */
function readIfPossible(context: SettingsContext, path: string): string | undefined {
  try {
    return context.read(path);
  } catch {
    return undefined;
  }
}
