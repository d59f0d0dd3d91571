import { homedir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { isProcessAlive } from "../machine/process-identity.ts";
import type { Program } from "../program/program.ts";
import { commandLineOf } from "./session/command-line.ts";
import { answerWake, readHook, showNotice } from "./hook.ts";
import { confirm, isOpen } from "./confirm.ts";
import { resume } from "./deliver.ts";
import { configFolder, runningSession } from "./session/session-registry.ts";

/** The session that the process around this hook runs. */
function sessionOfHook(env: NodeJS.ProcessEnv): string | undefined {
  return runningSession(configFolder(env, homedir()), Number(env["CLAUDE_PID"]))?.session;
}

/** Claude Code: its hooks read the tickets from the transcript, wait, and wake the session by how they leave. */
export const claudeCode: Program = {
  name: "claude-code",
  delivery: "taken",
  readHook: (event, input, env, files) => readHook(event, input, env, files, { commandLineOf, pause, isAlive: isProcessAlive }),
  answerWake: (_event, wake) => answerWake(wake, sessionOfHook(process.env)),
  notice: showNotice,
  confirm,
  isOpen,
  resume: (wake, state, run) => resume(wake, state, run, process.env),
};
