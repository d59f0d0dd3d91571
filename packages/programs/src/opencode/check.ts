import { pathToFileURL } from "node:url";
import { ownCommand } from "../machine/own-command.ts";
import type { Check, ProgramChecks, SettingsContext } from "../program/program-setup.ts";
import { findOpencode, runOpencode } from "./find-opencode.ts";
import { pluginPath } from "./plugin-place.ts";
import { wantedText } from "./install.ts";

const setUp = (): string => ownCommand(["setup", "opencode"]);

/** Whether this opencode loads plugins of the kind that Wakeshift's is. */
async function checkVersion(context: SettingsContext): Promise<Check> {
  return judgeVersion(await findOpencode(context));
}

function judgeVersion({ version, fails, detail }: Awaited<ReturnType<typeof findOpencode>>): Check {
  if (version === undefined && fails === true) return line("program", false, detail, "opencode --version");
  if (version === undefined)
    return line("program", false, detail, `put opencode on the PATH, or: ${ownCommand(["setup", "opencode", "--remove"])}`);
  return version.startsWith("1.")
    ? line("program", true, `opencode ${version}`, "")
    : line(
        "program",
        false,
        `opencode ${version} is installed, 1.x is needed: others load plugins of another kind, so its conversations are not woken`,
        "npm install -g opencode-ai@1",
      );
}

/**
 * Doctor's checks: the program and its version, the plugin's bytes, and opencode's own word that it loads the file.
 * Nothing is checked where opencode isn't installed and nothing of ours is there.
 */
async function check(context: SettingsContext): Promise<readonly Check[]> {
  const path = pluginPath(context);
  const present = context.read(path);
  const found = await findOpencode(context);
  const version = judgeVersion(found);
  if (found.version === undefined) return present === undefined ? [] : [version];
  const checks = [version, checkPlugin(present, path, context)];
  // Why another kind of opencode doesn't load it is said already.
  return present === undefined || !version.ok ? checks : [...checks, await checkLoaded(path, context)];
}

function checkPlugin(present: string | undefined, path: string, context: SettingsContext): Check {
  if (present === undefined) return line("plugin", false, `${path} is not there`, setUp());
  if (present !== wantedText(context)) return line("plugin", false, `${path} is not this version's`, setUp());
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

/** What `wakeshift doctor` asks of opencode. */
export const opencodeChecks: ProgramChecks = { checkVersion, check, openWith: ["opencode", "--session"] };

function line(check: string, ok: boolean, detail: string, fix: string): Check {
  return { program: "opencode", check, ok, detail, fix };
}
