import type { FileReader, HandedWake, HookAnswer, HookPlan, HookReport, Lifecycle, ToolResult } from "../program/program.ts";
import { parseHookInput, type HookInput } from "./session/hook-input.ts";
import { sessionMode, type SessionMode } from "./session/session-mode.ts";
import { resultOfCall, resultsWithSubscriptions } from "./transcript/transcript-results.ts";
import { stopFeedbacksInARow } from "./transcript/stop-limit.ts";

/** What reading a hook needs from outside, beside its files. */
export interface HookSurroundings {
  readonly commandLineOf: (pid: number) => readonly string[] | undefined;
  readonly pause: (ms: number) => Promise<void>;
  readonly isAlive: (pid: number) => boolean;
}

/** Set for the runs that the bridge starts itself (`resume`): they end after their turn. */
export const RESUMED_BY_BRIDGE = "WAKESHIFT_RESUMED";

/**
 * A tool call's line comes within 90 ms on an idle machine; its hook may start first. Nobody waits for these looks, and nothing
 * else finds the line later: they go on for ten minutes, for as long as the program lives to write it.
 */
const LINE_PAUSES_MS: readonly number[] = [
  ...[10, 15, 25, 40, 60, 100, 150, 200, 300, 400, 700, 1_000, 2_000, 4_000, 8_000, 12_000],
  ...Array.from({ length: 38 }, () => 15_000),
];
const TAIL_BYTES = 2 * 1024 * 1024;
/** The line may hold pictures, and others may have come after it. */
const DEEP_TAIL_BYTES = 16 * 1024 * 1024;
/** A look that deep costs something, so the first ones aren't. */
const DEEP_FROM_PAUSE_MS = 300;
/** The hooks' own timeout ends them a little later. */
const WAIT_MS = 20 * 86_400_000;

/** Reads one hook call of Claude Code. Input that isn't Claude Code's gives an empty plan. */
export async function readHook(
  event: string,
  raw: unknown,
  env: NodeJS.ProcessEnv,
  files: FileReader,
  around: HookSurroundings,
): Promise<HookPlan> {
  const input = parseHookInput(raw);
  if (input === undefined) return {};
  const pid = processId(env["CLAUDE_PID"]);
  const mode = sessionMode(env, pid === undefined ? undefined : around.commandLineOf(pid));
  const report = (lifecycle: Lifecycle | undefined, results: readonly ToolResult[] = []): HookReport => ({
    conversation: input.session,
    ...(lifecycle === undefined ? {} : { lifecycle }),
    ...(pid === undefined ? {} : { pid }),
    unattended: mode.unattended,
    results,
    facts: factsOf(input, env),
  });
  const wait = { conversation: input.session, unattended: mode.unattended, maxMs: WAIT_MS, ...(pid === undefined ? {} : { pid }) };
  switch (event) {
    case "SessionStart":
      return { report: report("opened"), ...(mode.background ? { wait } : {}) };
    case "UserPromptSubmit":
      return { report: report("working"), ...(mode.background ? { wait } : {}) };
    case "PostToolUse":
      return await readToolUse(input, { mode, pid }, files, around, (results) => ({ report: report("working", results), wait }));
    case "SubagentStop":
      return { report: report(undefined, mode.background ? [] : resultsIn(files, input.agentTranscript, undefined)) };
    case "Stop": {
      // In a one-shot run the only hook that finds them; else it finds those whose own hook was killed. Reported twice, they count once.
      const results = mode.background && input.promptId === undefined ? [] : resultsIn(files, input.transcript, input.promptId);
      return { report: report("idle", results), ...(mayHold(input, mode, env, files) ? { wait } : {}) };
    }
    case "Notice":
      return { report: report(undefined) };
    case "SessionEnd":
      return { report: report("closed") };
    default:
      return {};
  }
}

/**
 * In a one-shot run the program waits for this hook, and writes the result's line only afterwards: there Stop picks it
 * up. Everywhere else it is this hook's task first: Stop doesn't fire in a turn that is interrupted later.
 */
async function readToolUse(
  input: HookInput,
  { mode, pid }: { readonly mode: SessionMode; readonly pid: number | undefined },
  files: FileReader,
  around: HookSurroundings,
  plan: (results: readonly ToolResult[]) => HookPlan,
): Promise<HookPlan> {
  const { toolName, toolUseId } = input;
  if (!mode.background || toolName === undefined || toolUseId === undefined || !toolName.startsWith("mcp__")) return {};
  const transcript = input.agentId === undefined ? input.transcript : agentTranscript(input.transcript, input.agentId);
  for (const pauseMs of [0, ...LINE_PAUSES_MS]) {
    if (pauseMs > 0) await around.pause(pauseMs);
    // Asked before the look: what ended has written all it ever will.
    const isLast = pid !== undefined && !around.isAlive(pid);
    const tail = files.readTail(transcript, pauseMs < DEEP_FROM_PAUSE_MS && !isLast ? TAIL_BYTES : DEEP_TAIL_BYTES);
    const result = resultOfCall(tail ?? "", toolUseId, toolName);
    if (result !== undefined) return plan(result.meta === undefined ? [] : [result]);
    if (isLast) break;
  }
  return plan([]);
}

/**
 * A one-shot run is held by Stop, except while work goes on in the background (Stop fires again after it) and when the
 * program would end the run anyway instead of showing the model one more text.
 */
function mayHold(input: HookInput, mode: SessionMode, env: NodeJS.ProcessEnv, files: FileReader): boolean {
  if (mode.background) return true;
  if (input.hasBackgroundTasks || env[RESUMED_BY_BRIDGE] !== undefined) return false;
  const limit = Number(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] ?? "8");
  return stopFeedbacksInARow(files.readTail(input.transcript, TAIL_BYTES) ?? "") < (Number.isFinite(limit) ? limit : 8);
}

function resultsIn(files: FileReader, transcript: string | undefined, promptId: string | undefined): readonly ToolResult[] {
  return transcript === undefined ? [] : resultsWithSubscriptions(files.readTail(transcript, DEEP_TAIL_BYTES) ?? "", promptId);
}

/** Where a sub-agent's own lines stand: `SESSION.jsonl` → `SESSION/subagents/agent-ID.jsonl`. */
function agentTranscript(transcript: string, agentId: string): string {
  return `${transcript.replace(/\.jsonl$/, "")}/subagents/agent-${agentId}.jsonl`;
}

function factsOf(input: HookInput, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const config = env["CLAUDE_CONFIG_DIR"];
  return { transcript: input.transcript, cwd: input.cwd, ...(config === undefined || config === "" ? {} : { config }) };
}

function processId(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

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
