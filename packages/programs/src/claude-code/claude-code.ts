import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isProcessAlive } from "../machine/process-identity.ts";
import { newestChange } from "../program/newest-change.ts";
import type { Program, SettingsMaker } from "../program/program.ts";
import { answerWake, showNotice } from "./answer-wake.ts";
import { commandLineOf } from "./session/command-line.ts";
import { readHook } from "./hook.ts";
import { confirm, isOpen } from "./confirm.ts";
import { resume } from "./deliver.ts";
import { configFolder, runningSession } from "./session/session-registry.ts";
import { recordsSubscription } from "./transcript/recorded-subscription.ts";

// A hook runs at every tool call of an MCP server and needs none of the set-up, so that is loaded when it is asked for.
const loadSettings = async (): Promise<SettingsMaker> => (await import("./install.ts")).claudeCodeSettings;

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
  checkVersion: async (context) => (await import("./check.ts")).checkVersion(context),
  check: async (context) => (await import("./check.ts")).check(context),
  lastTurn: (context) => newestChange(join(configFolder(context.env, context.userHome), "projects"), (name) => name.endsWith(".jsonl")),
  recordsSubscription: ({ env, userHome }, now) => recordsSubscription(configFolder(env, userHome), now),
  openWith: ["claude", "--resume"],
  settings: {
    find: async (context) => (await loadSettings()).find(context),
    install: async (context) => (await loadSettings()).install(context),
    remove: async (context, applied) => (await loadSettings()).remove(context, applied),
  },
};
