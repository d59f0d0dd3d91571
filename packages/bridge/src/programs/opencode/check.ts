import { pathToFileURL } from "node:url";
import type { Check, SettingsContext } from "../program.ts";
import { findOpencode, runOpencode } from "./find-opencode.ts";
import { pluginPath } from "./plugin-place.ts";
import { wantedText } from "./settings.ts";

const SET_UP = "npx wakeshift setup opencode";

/**
 * Doctor's checks: the program and its version, the plugin's bytes, and opencode's own word that it loads the file.
 * Nothing is checked where opencode isn't installed and nothing of ours is there.
 */
export async function checkOpencode(context: SettingsContext): Promise<readonly Check[]> {
  const path = pluginPath(context);
  const present = context.read(path);
  const found = await findOpencode(context);
  if (found.version === undefined) {
    if (present === undefined) return [];
    return [line("program", false, found.detail, "put opencode on the PATH, or: npx wakeshift setup --remove opencode")];
  }
  const checks = [checkVersion(found.version), checkPlugin(present, path, context)];
  if (present === undefined) return checks;
  return [...checks, await checkLoaded(path, context)];
}

function checkVersion(version: string): Check {
  const ok = version.startsWith("1.");
  return line("program", ok, `opencode ${version}`, ok ? "" : "use opencode 1.x: this version's plugins are of another kind");
}

function checkPlugin(present: string | undefined, path: string, context: SettingsContext): Check {
  if (present === undefined) return line("plugin", false, `${path} is not there`, SET_UP);
  if (present !== wantedText(context)) return line("plugin", false, `${path} is not this version's`, SET_UP);
  if (context.read(context.launcher) === undefined)
    return line("plugin", false, `${context.launcher}, which it calls, is not there`, SET_UP);
  return line("plugin", true, path, "");
}

/** `opencode debug config` shows which plugins a start in this folder loads. */
async function checkLoaded(path: string, context: SettingsContext): Promise<Check> {
  const result = await runOpencode(context, ["debug", "config"]);
  if (result.exitCode !== 0)
    return line("loaded", false, `opencode debug config left with ${String(result.exitCode)}`, "opencode debug config");
  const ok = result.stdout.includes(JSON.stringify(pathToFileURL(path).href));
  if (ok) return line("loaded", true, "opencode loads it", "");
  return line(
    "loaded",
    false,
    "opencode does not load it",
    "unset OPENCODE_PURE and OPENCODE_DISABLE_DEFAULT_PLUGINS, then start opencode again",
  );
}

function line(check: string, ok: boolean, detail: string, mend: string): Check {
  return { program: "opencode", check, ok, detail, mend };
}
