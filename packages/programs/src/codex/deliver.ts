import type { ConversationState, Delivery, HandedWake } from "../program/program.ts";
import type { Runner } from "../program/runner.ts";
import { isExecRun, isOpen } from "./confirm.ts";
import { queueWake } from "./queue-wake.ts";
import { codexOf } from "./records/codex-command.ts";
import { resumeExec } from "./resume-exec.ts";

const NO_COMMAND: Delivery = { state: "failed", detail: "no codex command on the PATH of the conversation or of the bridge" };

/** Puts a wake into the queue of an open thread. A message queued for a `codex exec` run would be lost when that exits. */
export async function deliver(wake: HandedWake, state: ConversationState, run: Runner): Promise<Delivery> {
  if (state.unattended || isExecRun(state)) return { state: "not_now", detail: "a codex exec run takes wakes only through its Stop hook" };
  if (!isOpen(state)) return { state: "not_now", detail: "the thread is not loaded in any Codex process" };
  const command = codexOf(state, process.env, process.platform);
  return command === undefined ? NO_COMMAND : queueWake(wake, state, command, run);
}

/** Continues a closed thread with a wake. */
export async function resume(wake: HandedWake, state: ConversationState, run: Runner): Promise<Delivery> {
  if (isOpen(state)) return { state: "not_now", detail: "the thread is loaded in a Codex process" };
  const command = codexOf(state, process.env, process.platform);
  return command === undefined ? NO_COMMAND : resumeExec(wake, state, command, run);
}
