import type { HandedWake, HookAnswer } from "../../program.ts";

/**
 * Leaves with code 2, which wakes the session; stderr is the text. Claude Code puts words of its own in front ("Stop hook
 * feedback: …"), so the frame begins on a line of its own.
 */
export function answerWake(wake: HandedWake): HookAnswer {
  return { stdout: "", stderr: `\n${wake.text}`, exitCode: 2 };
}

/** What a hook shows the user. Only hooks the program waits for can; a text of the others would reach the model instead. */
export function showNotice(event: string, text: string): HookAnswer {
  return { stdout: event === "Notice" ? JSON.stringify({ systemMessage: text }) : "", stderr: "", exitCode: 0 };
}
