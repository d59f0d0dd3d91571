import type { Program } from "../program/program.ts";
import { confirm, isOpen } from "./confirm.ts";
import { deliver, resume } from "./deliver.ts";
import { answerWake, readHook, showNotice } from "./hook.ts";

/**
 * Codex. A PostToolUse hook brings tickets; `codex queue` wakes an open thread; the Stop hook holds a `codex exec` run
 * for its event and continues it, since a message queued for such a run is lost when it exits.
 */
export const codex: Program = {
  name: "codex",
  delivery: "pushed",
  readHook: (event, input, env, files) => readHook(event, input, env, files, process.ppid),
  answerWake,
  notice: showNotice,
  deliver,
  resume,
  confirm,
  isOpen,
};
