import type { ConversationState, Delivery, HandedWake } from "../program/program.ts";
import type { Runner } from "../program/runner.ts";
import type { CodexCommand } from "./records/codex-command.ts";
import { rolloutShows } from "./records/read-rollout.ts";

/** A resumed run is a whole agent run: it ends by itself, this only bounds one that never does. */
const RUN_LIMIT_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = 200;

/**
 * Continues an ended thread with a wake: `codex exec resume THREAD -`, the text on stdin. Seen as soon as the thread's
 * rollout shows it as a turn's input; the run itself goes on.
 */
export async function resumeExec(wake: HandedWake, state: ConversationState, codex: CodexCommand, run: Runner): Promise<Delivery> {
  const cwd = state.facts["cwd"];
  const running = run.run(codex.command, ["exec", "resume", "--json", "--skip-git-repo-check", state.conversation, "-"], {
    env: codex.env,
    input: wake.text,
    timeoutMs: RUN_LIMIT_MS,
    ...(cwd ? { cwd } : {}),
  });
  let ended = false;
  const end = running.then((result) => {
    ended = true;
    return result;
  });
  const rollout = state.facts["rollout"] ?? "";
  while (!ended) {
    if (rolloutShows(rollout, wake)) return { state: "seen" };
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref())]);
  }
  const result = await end;
  if (rolloutShows(rollout, wake)) return { state: "seen" };
  return {
    state: "failed",
    detail: `codex exec resume ended with ${String(result.exitCode)} and no turn shows the wake: ${result.stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? ""}`,
  };
}
