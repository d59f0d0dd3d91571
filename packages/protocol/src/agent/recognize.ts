import type { CallFacts } from "../app-api.ts";
import type { ProgramName } from "../programs.ts";
import { agentIdOf } from "./agent-id.ts";
import { isNativeClient } from "./native-client.ts";
import type { RecognitionFacts } from "./recognition-facts.ts";
import { isRecord } from "../json/is-record.ts";
import { metaClientNameOf } from "./recognition-facts.ts";

/** Which fact decided. */
export type RecognizedBy = "initialize" | "meta_client_info" | "meta_keys" | "user_agent" | "identify" | "harness" | "nothing";

export interface Recognition {
  /** Whether it subscribes by MCP Events itself. Decided first, and independent of the program. */
  readonly native: boolean;
  /** A known program's name, else an id derived from the client's name. Absent: nothing tells. */
  readonly harness?: ProgramName | (string & {});
  readonly by: RecognizedBy;
}

/** The order: the first fact that tells anything decides. `harness` stands last, so that it only picks between programs whose requests look alike. */
const ORDER: readonly (readonly [RecognizedBy, (facts: RecognitionFacts) => string | undefined])[] = [
  ["initialize", (facts) => programOfName(facts.initializeName)],
  ["meta_client_info", (facts) => programOfName(metaClientNameOf(facts))],
  ["meta_keys", (facts) => programOfKeys(facts.meta ?? {})],
  ["user_agent", (facts) => programOfUserAgent(facts.userAgent ?? "")],
  ["identify", (facts) => programOfName(facts.identifiedClient)],
  ["harness", (facts) => programOfName(facts.harness)],
];

/** Names that MCP libraries send when the program gave none: they tell nothing. */
const NAMES_OF_NOBODY: ReadonlySet<string> = new Set(["mcp", "mcp-client", "example-client", "client", "unknown", "node"]);

const USER_AGENTS: readonly (readonly [prefix: string, program: ProgramName])[] = [
  ["claude-code/", "claude-code"],
  ["codex-mcp-client/", "codex"],
  ["opencode/", "opencode"],
  ["copilot-cli/", "copilot-cli"],
  ["cursor/", "cursor"],
  ["antigravity", "antigravity"],
  ["gemini-cli", "gemini-cli"],
  ["openai-mcp", "chatgpt"],
];

/**
 * Tells whether a client subscribes natively, and which agent program calls. This chooses how to wake, never who may see what:
 * the client asserts nearly all of it.
 */
export function recognize(facts: RecognitionFacts): Recognition {
  const native = isNativeClient(facts);
  for (const [by, read] of ORDER) {
    const harness = read(facts);
    if (harness !== undefined) return { native, harness, by };
  }
  return { native, by: "nothing" };
}

/** The same from a call's facts as an SDK sent them. */
export function recognizeCall(call: CallFacts): Recognition {
  const named = { [NAMED_IN[call.client_by ?? "initialize"]]: call.client };
  return recognize({ ...named, meta: call.meta, userAgent: call.user_agent, harness: call.harness });
}

const NAMED_IN: Readonly<Record<NonNullable<CallFacts["client_by"]>, keyof RecognitionFacts>> = {
  initialize: "initializeName",
  meta_client_info: "metaClientName",
  identify: "identifiedClient",
};

function programOfName(name: string | undefined): string | undefined {
  const id = typeof name === "string" ? agentIdOf(name) : undefined;
  return id === undefined || NAMES_OF_NOBODY.has(id) ? undefined : id;
}

function programOfKeys(meta: Readonly<Record<string, unknown>>): ProgramName | undefined {
  if (typeof meta["claudecode/toolUseId"] === "string") return "claude-code";
  if (typeof meta["vscode.conversationId"] === "string") return "vscode";
  if (isRecord(meta["x-codex-turn-metadata"]) || typeof meta["threadId"] === "string") return "codex";
  return undefined;
}

function programOfUserAgent(userAgent: string): ProgramName | undefined {
  const lower = userAgent.trimStart().toLowerCase();
  return USER_AGENTS.find(([prefix]) => lower.startsWith(prefix))?.[1];
}
