import { join } from "node:path";
import { newestChange } from "../program/newest-change.ts";
import type { ConversationState, Program, SettingsMaker } from "../program/program.ts";
import { codexOf } from "./records/codex-command.ts";
import { queueHolds } from "./records/queue-store.ts";
import { queueWake } from "./queue-wake.ts";
import { codexHome, readCodexHook } from "./hook.ts";
import { isNewestTurnExec, rolloutShows } from "./records/read-rollout.ts";
import { resumeExec } from "./resume-exec.ts";
import { isHeldByExec, threadState } from "./records/thread-lock.ts";

// A hook runs at every call of an MCP tool: it must not pay for loading what only set-up and doctor need.
const loadSettings = async (): Promise<SettingsMaker> => (await import("./install.ts")).codexSettings;

const NO_COMMAND = "no codex command on the PATH of the conversation or of the bridge";

/**
 * Codex. A PostToolUse hook brings tickets; `codex queue` wakes an open thread; the Stop hook holds a `codex exec` run
 * for its event and continues it, since a message queued for such a run is lost when it exits.
 */
export const codex: Program = {
  name: "codex",
  delivery: "pushed",
  readHook: (event, input, env, files) => readCodexHook(event, input, env, files, process.ppid),
  answerWake: (_event, wake) => ({ stdout: JSON.stringify({ decision: "block", reason: wake.text }), stderr: "", exitCode: 0 }),
  notice: (_event, text) => ({ stdout: JSON.stringify({ systemMessage: text }), stderr: "", exitCode: 0 }),
  deliver: async (wake, state, run) => {
    if (state.unattended || isExecRun(state))
      return { state: "not_now", detail: "a codex exec run takes wakes only through its Stop hook" };
    if (!isOpen(state)) return { state: "not_now", detail: "the thread is not loaded in any Codex process" };
    const command = codexOf(state, process.env, process.platform);
    return command === undefined ? { state: "failed", detail: NO_COMMAND } : queueWake(wake, state, command, run);
  },
  resume: async (wake, state, run) => {
    if (isOpen(state)) return { state: "not_now", detail: "the thread is loaded in a Codex process" };
    const command = codexOf(state, process.env, process.platform);
    return command === undefined ? { state: "failed", detail: NO_COMMAND } : resumeExec(wake, state, command, run);
  },
  confirm: (wake, state) => {
    if (rolloutShows(state.facts["rollout"] ?? "", wake)) return Promise.resolve("seen");
    // A bridge that ended while `codex queue` ran doesn't know how that came out; Codex's queue does.
    const home = state.facts["codex_home"];
    return Promise.resolve(home !== undefined && home !== "" && queueHolds(home, wake) ? "queued" : "unknown");
  },
  isOpen,
  checkVersion: async (context) => (await import("./check.ts")).checkCodexVersion(context),
  check: async (context) => (await import("./check.ts")).checkCodex(context),
  lastTurn: ({ env }) => newestChange(join(codexHome(env), "sessions"), (name) => name.endsWith(".jsonl")),
  openWith: ["codex", "resume"],
  settings: {
    find: async (context) => (await loadSettings()).find(context),
    install: async (context) => (await loadSettings()).install(context),
    remove: async (context, applied) => (await loadSettings()).remove(context, applied),
  },
};

/** A conversation of a person that `codex exec resume` has loaded just now; its own hooks haven't reported yet. */
function isExecRun(state: ConversationState): boolean {
  return isHeldByExec(state.facts["codex_home"] ?? "", state.conversation) ?? isNewestTurnExec(state.facts["rollout"] ?? "");
}

function isOpen(state: ConversationState): boolean {
  const known = threadState(state.facts["codex_home"] ?? "", state.conversation);
  if (known !== "unknown") return known === "open";
  return state.lifecycle !== "closed" && state.pid !== undefined && isAlive(state.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
