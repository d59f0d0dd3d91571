import type { HandedWake, HookAnswer } from "../program/program.ts";

/** Leaves without a word; the wake is offered again where its conversation is. */
const NOTHING: HookAnswer = { stdout: "", stderr: "", exitCode: 0 };

/**
 * Leaves with code 2, which wakes the session; stderr is the text. Claude Code puts words of its own in front ("Stop hook
 * feedback: …"), so the frame begins on a line of its own.
 *
 * `running` is the session the hook's process runs now, where that is known: after `/clear` it is another conversation,
 * and a wake that isn't its own must not reach it.
 */
export function answerWake(wake: HandedWake, running: string | undefined): HookAnswer {
  if (running !== undefined && running !== wake.conversation) return NOTHING;
  return { stdout: "", stderr: `\n${wake.text}`, exitCode: 2 };
}

/** What a hook shows the user. Only hooks the program waits for can; a text of the others would reach the model instead. */
export function showNotice(event: string, text: string): HookAnswer {
  return event === "Notice" ? { ...NOTHING, stdout: JSON.stringify({ systemMessage: text }) } : NOTHING;
}
