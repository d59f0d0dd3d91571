import type { Check, SettingsContext } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import type { ProgramName } from "@wakeshift/protocol";

/** Runs what a program's hooks call, and has it say its version: only then are its Node and its files all there. */
export async function checkLauncher(program: ProgramName, context: SettingsContext, ownVersion: string): Promise<Check> {
  const { launcher, platform } = context;
  const line = (ok: boolean, detail: string, fix: string): Check => ({ program, check: "launcher", ok, detail, fix });
  const setUp = ownCommand(["setup", program]);
  if (context.read(launcher) === undefined) return line(false, `${launcher}, which its hooks call, is gone`, setUp);
  const [command, ...args] = platform === "win32" ? ["cmd.exe", "/d", "/c", launcher] : [launcher];
  const { exitCode, stdout, stderr } = await context.run.run(command ?? launcher, [...args, "--version"], { timeoutMs: 15_000 });
  const version = stdout.trim();
  if (exitCode !== 0 || version === "") {
    const said = (stderr.trim().split("\n").at(-1) ?? "").slice(0, 300);
    return line(false, `${launcher}, which its hooks call, doesn't work: ${said === "" ? "it starts nothing" : said}`, setUp);
  }
  return line(true, `${launcher} starts version ${version}${version === ownVersion ? "" : ` (this is ${ownVersion})`}`, "");
}
