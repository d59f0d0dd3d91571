import type { ConversationState, Delivery, HandedWake } from "../program/program.ts";
import type { Runner } from "../program/runner.ts";
import type { CodexCommand } from "./records/codex-command.ts";
import { queueHolds } from "./records/queue-store.ts";

const QUEUE_LIMIT_MS = 20_000;

/**
 * Puts a wake into Codex's durable queue for one thread. Codex runs it as the thread's next turn: at once, after the
 * running turn, or, in an embedded app-server, at its next look (about ten seconds). Handed means that Codex confirmed
 * the row or that it is there; an exit code says nothing.
 */
export async function queueWake(wake: HandedWake, state: ConversationState, codex: CodexCommand, run: Runner): Promise<Delivery> {
  // One argument with `=`: a text that begins with a dash must not become an option.
  const args = ["queue", "--thread", state.conversation, `--message=${wake.text}`];
  const result = await run.run(codex.command, args, { env: codex.env, timeoutMs: QUEUE_LIMIT_MS });
  const queued = confirmedQueueItem(result.stdout, state.conversation);
  if (queued !== undefined) return { state: "handed", detail: `codex queue item ${queued}` };
  if (queueHolds(codex.home, wake)) return { state: "handed", detail: "found in Codex's queue, although the command confirmed nothing" };
  const how = result.timedOut
    ? `gave no answer within ${String(QUEUE_LIMIT_MS / 1000)} s`
    : `confirmed nothing (exit code ${String(result.exitCode)})`;
  return { state: "failed", detail: `codex queue ${how}: ${lastLine(result.stderr)}` };
}

/** The queue item's id out of `Queued message ID for thread THREAD.`, if it names this thread. */
export function confirmedQueueItem(stdout: string, thread: string): string | undefined {
  const line = /^Queued message ([0-9a-f-]{36}) for thread (\S+)\.$/m.exec(stdout);
  return line?.[2] === thread ? line[1] : undefined;
}

function lastLine(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("WARNING: proceeding"));
  return (lines.find((line) => line.startsWith("Error")) ?? lines.at(-1) ?? "no message").slice(0, 300);
}
