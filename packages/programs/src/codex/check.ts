import { join } from "node:path";
import { ownCommand } from "../machine/own-command.ts";
import type { Check, ProgramChecks, SettingsContext } from "../program/program-setup.ts";
import { newestChange } from "../program/newest-change.ts";
import { codexHome } from "./records/codex-command.ts";
import { codexPlace, missingEntries, type CodexPlace } from "./settings/codex-place.ts";
import { isTrusted, listHooks } from "./settings/hook-trust.ts";
import { whyHooksAreOff } from "./settings/hooks-off.ts";

const setUp = (): string => ownCommand(["setup", "codex"]);
/** The version the tests with the real program run. */
const TESTED = "0.171.0";

/** Whether this Codex can be handed a wake: its version doesn't say it, its queue command does. */
async function checkVersion(context: SettingsContext): Promise<Check> {
  const command = codexPlace(context).appServer?.command;
  if (command === undefined) return line("program", false, "no codex on the PATH", "npm install -g @openai/codex");
  const options = { env: context.env, timeoutMs: 15_000 };
  const help = await context.run.run(command, ["queue", "--help"], options);
  if (help.exitCode === 0 && help.stdout.includes("--thread")) return line("program", true, `${command} has the queue command`, "");
  const said = (await context.run.run(command, ["--version"], options)).stdout.trim().slice(0, 80);
  return line(
    "program",
    false,
    `${command} (${said === "" ? "version unknown" : said}) is installed, one with \`codex queue\` is needed (${TESTED} has it): without it the conversations of the terminal and of editors are not woken`,
    "codex update",
  );
}

/** Doctor's checks: Codex and its queue command, our hooks in its files, and Codex's own word that it trusts them. */
async function check(context: SettingsContext): Promise<readonly Check[]> {
  const place = codexPlace(context);
  const version = await checkVersion(context);
  return place.appServer === undefined ? [version] : [version, checkPresent(place, context), await checkTrust(place, context.folder)];
}

function checkPresent(place: CodexPlace, context: SettingsContext): Check {
  const missing = missingEntries(place, context);
  if (missing.length > 0)
    return line(
      "hooks",
      false,
      `${missing.map((entry) => entry.event).join(" and ")} missing in ${place.hooksJson} and ${place.configToml}`,
      setUp(),
    );
  return line("hooks", true, place.entries.map((entry) => entry.event).join(" and "), "");
}

async function checkTrust(place: CodexPlace, folder: string): Promise<Check> {
  if (place.appServer === undefined) return line("trust", false, "no codex to ask", setUp());
  try {
    const { hooks, warnings } = await listHooks(place.appServer, folder);
    const ours = hooks.filter((hook) => place.entries.some((entry) => entry.command === hook.command));
    const broken = warnings.find((warning) => warning.includes("failed to parse"));
    if (broken !== undefined) return line("trust", false, broken, `correct that file by hand, then: ${ownCommand(["doctor"])}`);
    const off = ours.length < place.entries.length ? await whyHooksAreOff(place.appServer, folder) : undefined;
    if (off !== undefined) return line("hooks enabled", false, off.detail, off.fix);
    if (ours.length < place.entries.length)
      return line("trust", false, `Codex lists ${String(ours.length)} of ${String(place.entries.length)} hooks`, setUp());
    if (!ours.every(isTrusted))
      return line("trust", false, "the hooks are there, but Codex does not trust them and skips them in silence", setUp());
    if (!ours.every((hook) => hook.enabled))
      return line("trust", false, "a hook is switched off", "switch it on: start codex and type /hooks");
    return line("trust", true, "Codex lists and trusts both hooks", "");
  } catch (error) {
    return line("trust", false, error instanceof Error ? error.message : String(error), "codex doctor");
  }
}

/** What `wakeshift doctor` asks of Codex. */
export const codexChecks: ProgramChecks = {
  checkVersion,
  check,
  lastTurn: ({ env }) => newestChange(join(codexHome(env), "sessions"), (name) => name.endsWith(".jsonl")),
  openWith: ["codex", "resume"],
};

function line(check: string, ok: boolean, detail: string, fix: string): Check {
  return { program: "codex", check, ok, detail, fix };
}
