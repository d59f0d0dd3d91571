import { describeRun } from "../program/describe-run.ts";
import { ownCommand } from "../machine/own-command.ts";
import type { Check, SettingsContext } from "../program/program.ts";
import { checkHooksEnabled } from "./settings/check-hooks-enabled.ts";
import { HOOK_EVENTS } from "./settings/hook-entries.ts";
import { hasPlugin, hookCommand, ownCommands, settingsPath } from "./install.ts";
import { isPlainJson, parseSettings } from "./settings/settings-text.ts";

const setUp = (): string => ownCommand(["setup", "claude-code"]);
/** The first version whose hooks can wake an idle session and name their process. */
const OLDEST = [2, 1, 224] as const;

/** Whether its hooks can wake a session. */
export async function checkVersion(context: SettingsContext): Promise<Check> {
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

/** What `wakeshift doctor` says of Claude Code. */
export async function check(context: SettingsContext): Promise<readonly Check[]> {
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

function line(check: string, ok: boolean, detail: string, fix: string): Check {
  return { program: "claude-code", check, ok, detail, fix };
}
