import { isRecord } from "../json/is-record.ts";

const READ_KEYS: readonly string[] = [
  "io.modelcontextprotocol/clientInfo",
  "io.modelcontextprotocol/clientCapabilities",
  "threadId",
  "sessionId",
  "claudecode/toolUseId",
  "vscode.conversationId",
];
const CODEX_TURN = "x-codex-turn-metadata";
const CODEX_TURN_KEYS: readonly string[] = ["thread_id", "session_id", "turn_trigger", "thread_source"];

/** The part of a request's `_meta` that tells which program and conversation calls. Nothing else leaves the author's server. */
export function callMetaOf(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const turn = meta[CODEX_TURN];
  return {
    ...pick(meta, READ_KEYS),
    // The rest of it tells about the user's folders.
    ...(isRecord(turn) ? { [CODEX_TURN]: pick(turn, CODEX_TURN_KEYS) } : {}),
  };
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key) && from[key] !== undefined).map((key) => [key, from[key]]));
}
