import { PassThrough } from "node:stream";
import { runHook } from "@wakeshift/bridge";
import type { HookPlan, Program } from "@wakeshift/programs";

/** A program of the tests: its hooks' input is the plan itself, and a waiting hook leaves with 7. */
export const plannedProgram: Program = {
  name: "cursor",
  delivery: "taken",
  readHook: (_event, input) => input ?? {},
  answerWake: (event, wake) => ({ stdout: `${event}:${wake.text}`, stderr: "", exitCode: 7 }),
  notice: (event, text) => ({ stdout: event === "Quiet" ? "" : `notice:${text}`, stderr: "", exitCode: 0 }),
};

export interface HookEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one hook in this process, with a pipe for each of its streams. */
export async function runPlannedHook(
  env: NodeJS.ProcessEnv,
  event: string,
  input: HookPlan | string,
  program: Program = plannedProgram,
): Promise<HookEnd> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(typeof input === "string" ? input : JSON.stringify(input));
  const code = await runHook([program.name, event], {
    env,
    stdin,
    stdout,
    stderr,
    findProgram: (name) => Promise.resolve(name === program.name ? program : undefined),
  });
  const text = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
