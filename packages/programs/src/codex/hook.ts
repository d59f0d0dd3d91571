import { isRecord, SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { FileReader, HandedWake, HookAnswer, HookPlan, HookReport } from "../program/program.ts";
import { toolOfResult } from "../program/tool-of-result.ts";
import { codexHome } from "./records/codex-command.ts";
import { newestTurnTrigger } from "./records/rollout.ts";

/** Codex kills a Stop hook after the time its entry names, a day; leave in good time before. */
const LONGEST_HOLD_MS = 86_000_000;

/** A turn's start lies further back the longer the turn is; a longer tail is only read when the shorter one lacks it. */
const TAILS = [256 * 1024, 16 * 1024 * 1024];

/**
 * Reads what Codex gives a hook on stdin. `PostToolUse` carries the result's `_meta` whole. `Stop` ends a turn: in a
 * `codex exec` run the hook may hold here for a wake, everywhere else it leaves at once.
 */
export function readHook(event: string, input: unknown, env: NodeJS.ProcessEnv, files: FileReader, parent: number): HookPlan {
  if (!isRecord(input) || typeof input["session_id"] !== "string" || input["session_id"] === "") return {};
  const conversation = input["session_id"];
  if (event === "PostToolUse") {
    const meta = metaOf(input["tool_response"]);
    if (!isRecord(meta) || meta[SUBSCRIPTION_META_KEY] === undefined) return {};
    const tool = toolOfResult(typeof input["tool_name"] === "string" ? input["tool_name"] : "", meta);
    return { report: { ...reportOf(conversation, input, env, files, parent), lifecycle: "working", results: [{ tool, meta }] } };
  }
  if (event === "Stop") {
    const report: HookReport = { ...reportOf(conversation, input, env, files, parent), lifecycle: "idle" };
    return report.unattended ? { report, wait: { conversation, unattended: true, maxMs: LONGEST_HOLD_MS } } : { report };
  }
  return {};
}

function reportOf(
  conversation: string,
  input: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  files: FileReader,
  parent: number,
): HookReport {
  const rollout = typeof input["transcript_path"] === "string" ? input["transcript_path"] : "";
  return {
    conversation,
    pid: parent,
    unattended: isUnattended(rollout, files),
    results: [],
    facts: {
      codex_home: codexHome(env),
      rollout,
      path: env["PATH"] ?? env["Path"] ?? "",
      cwd: typeof input["cwd"] === "string" ? input["cwd"] : "",
    },
  };
}

function isUnattended(rollout: string, files: FileReader): boolean {
  if (rollout === "") return false;
  for (const bytes of TAILS) {
    const trigger = newestTurnTrigger(files.readTail(rollout, bytes) ?? "");
    if (trigger !== undefined) return trigger === "exec";
  }
  return false;
}

/** Some builds hand a result over as JSON text. */
function metaOf(response: unknown): unknown {
  if (isRecord(response)) return response["_meta"];
  if (typeof response !== "string") return undefined;
  try {
    const parsed: unknown = JSON.parse(response);
    return isRecord(parsed) ? parsed["_meta"] : undefined;
  } catch {
    return undefined;
  }
}

/** Holds the run at its end, and goes on with the wake as its next prompt. */
export function answerWake(_event: string, wake: HandedWake): HookAnswer {
  return { stdout: JSON.stringify({ decision: "block", reason: wake.text }), stderr: "", exitCode: 0 };
}

export function showNotice(_event: string, text: string): HookAnswer {
  return { stdout: JSON.stringify({ systemMessage: text }), stderr: "", exitCode: 0 };
}
