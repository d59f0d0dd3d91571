import { join } from "node:path";
import { describeRun } from "../program/describe-run.ts";
import { ownCommand } from "../machine/own-command.ts";
import type { Check, ProgramChecks, SettingsContext } from "../program/program-setup.ts";
import { newestChange } from "../program/newest-change.ts";
import { configFolder } from "./session/session-registry.ts";
import { recordsSubscription } from "./transcript/recorded-subscription.ts";
import { checkHooksEnabled } from "./settings/check-hooks-enabled.ts";
import { HOOK_EVENTS } from "./settings/hook-entries.ts";
import { hasPlugin, hookCommand, ownCommands } from "./install.ts";
import { settingsPath } from "./settings/settings-path.ts";
import { isPlainJson, parseSettings } from "./settings/settings-text.ts";

const setUp = (): string => ownCommand(["setup", "claude-code"]);
/** The first version whose hooks can wake an idle session and name their process. */
const OLDEST = [2, 1, 224] as const;

/** Whether its hooks can wake a session. */
async function checkVersion(context: SettingsContext): Promise<Check> {
  const version = await context.run.run("claude", ["--version"], { timeoutMs: 15_000 });
  if (version.exitCode !== 0) {
    const fix = version.missing === true ? "install Claude Code, or ignore this" : "claude --version";
    return line("found", false, describeRun("claude", ["--version"], version), fix);
  }
  const said = version.stdout.trim();
  const parts = /(\d+)\.(\d+)\.(\d+)/.exec(said)?.slice(1).map(Number);
  const needed = `${OLDEST.join(".")} or newer is needed`;
  if (parts === undefined)
    return line("version", false, `\`claude --version\` says no version ("${said.slice(0, 80)}"); ${needed}`, "claude --version");
  const isNew = OLDEST.reduce<number>((order, least, place) => order || Math.sign((parts[place] ?? 0) - least), 0) >= 0;
  if (isNew) return line("version", true, said, "");
  const lost = "an older one's hooks can't wake an idle session, so its conversations are not woken";
  return line("version", false, `${said} is installed, ${needed}: ${lost}`, "claude update");
}

async function check(context: SettingsContext): Promise<readonly Check[]> {
  const version = await checkVersion(context);
  if (version.check === "found") return [version];
  const path = settingsPath(context);
  const text = context.read(path) ?? "{}";
  return [version, ...checkSettings(path, text, context.launcher), ...checkHooksEnabled(context)];
}

function checkSettings(path: string, text: string, launcher: string): Check[] {
  const root = parseSettings(text);
  if (root === undefined) return [line("hooks", false, `${path} is not a JSON object`, `correct ${path}, then ${setUp()}`)];
  if (!isPlainJson(text))
    return [
      line("hooks", false, `${path} has comments or trailing commas, so Claude Code reads nothing of it`, `take them out of ${path}`),
    ];
  const own = ownCommands(text);
  if (hasPlugin(text)) return [line("hooks", true, "from the plugin", "")];
  const missing = HOOK_EVENTS.filter((event) => (own.get(event)?.length ?? 0) === 0);
  if (missing.length > 0) return [line("hooks", false, `${path} has no Wakeshift hook for ${missing.join(", ")}`, setUp())];
  const other = [...own.values()].flat().find((command) => !command.includes(hookCommand(launcher, "")));
  if (other === undefined) return [line("hooks", true, `all in ${path}`, "")];
  const again = `${ownCommand(["setup", "claude-code", "--remove"])}, then: ${setUp()}`;
  return [line("hooks", false, `${path} calls another launcher than ${launcher}: ${other}`, again)];
}

/** What `wakeshift doctor` asks of Claude Code. */
export const claudeCodeChecks: ProgramChecks = {
  checkVersion,
  check,
  lastTurn: (context) => newestChange(join(configFolder(context.env, context.userHome), "projects"), (name) => name.endsWith(".jsonl")),
  recordsSubscription: ({ env, userHome }, now) => recordsSubscription(configFolder(env, userHome), now),
  openWith: ["claude", "--resume"],
};

function line(check: string, ok: boolean, detail: string, fix: string): Check {
  return { program: "claude-code", check, ok, detail, fix };
}
