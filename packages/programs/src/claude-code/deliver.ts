import type { ConversationState, Delivery, HandedWake } from "../program/program.ts";
import type { Runner } from "../program/runner.ts";
import { confirm } from "./confirm.ts";
import { RESUMED_BY_BRIDGE } from "./hook.ts";

/** A turn may take long; what it does is the agent's affair. */
const TURN_MS = 30 * 60_000;

/** What a session's children inherit about it. A run that the bridge starts belongs to no session. */
const SESSION_VARIABLES = [
  "CLAUDECODE",
  "CLAUDE_PID",
  "CLAUDE_EFFORT",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PROJECT_DIR",
  "CLAUDE_PLUGIN_ROOT",
  "CLAUDE_PLUGIN_DATA",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_CHILD_NOTES_DIR",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
];

/** The environment of a run outside any session: the bridge's own, less what a hook that started it inherited. */
export function resumeEnvironment(env: NodeJS.ProcessEnv, state: ConversationState): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !SESSION_VARIABLES.includes(name));
  const config = state.facts["config"];
  return { ...Object.fromEntries(kept), [RESUMED_BY_BRIDGE]: "1", ...(config === undefined ? {} : { CLAUDE_CONFIG_DIR: config }) };
}

/**
 * Continues a closed conversation for one turn: `claude -p --resume ID` with the text on stdin, so that no character of
 * it can be taken for an option. It has the permissions any such run has, no more.
 */
export async function resume(wake: HandedWake, state: ConversationState, run: Runner, env: NodeJS.ProcessEnv): Promise<Delivery> {
  const { cwd } = state.facts;
  const result = await run.run("claude", ["-p", "--resume", state.conversation], {
    env: resumeEnvironment(env, state),
    input: wake.text,
    timeoutMs: TURN_MS,
    ...(cwd === undefined || cwd === "" ? {} : { cwd }),
  });
  if ((await confirm(wake, state)) === "seen") return { state: "seen" };
  const said = (result.stderr.trim() || result.stdout.trim()).slice(0, 300);
  const how = result.timedOut ? "took too long" : `ended with ${result.exitCode === null ? "no exit code" : `code ${result.exitCode}`}`;
  return {
    state: "failed",
    detail: `claude -p --resume ${how}, and its transcript doesn't show the wake${said === "" ? "" : `: ${said}`}`,
  };
}
