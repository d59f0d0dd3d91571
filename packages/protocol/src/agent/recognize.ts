import type { ProgramName } from "../programs.ts";
import { agentIdOf } from "./agent-id.ts";

/** What one call's requests say about the program that sent them. The client asserts all of it but `identifiedClient`. */
export interface RecognitionFacts {
  /** `clientInfo.name` of `initialize`, on servers with sessions. */
  readonly initializeName?: string | undefined;
  /** `clientInfo.name` of the request's `_meta` (protocol 2026-07-28). Read from `meta` where absent. */
  readonly metaClientName?: string | undefined;
  /** The request's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly userAgent?: string | undefined;
  /** The `client` that the author's `identify` returned. */
  readonly identifiedClient?: string | undefined;
  /** The tool argument `harness`. */
  readonly harness?: string | undefined;
}

/** Which fact decided. */
export type RecognizedBy = "initialize" | "meta_client_info" | "meta_keys" | "user_agent" | "identify" | "harness" | "nothing";

export interface Recognition {
  /** A known program's name, else an id derived from the client's name. Absent: nothing tells. */
  readonly harness?: ProgramName | (string & {});
  readonly by: RecognizedBy;
}

const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";

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
 * Tells which agent program calls. The first fact that tells anything decides, in this order: the name in `initialize`, the name
 * in `_meta`, a program's own keys in `_meta`, the User-Agent, what `identify` returned, and last the `harness` argument, so that
 * it only picks between programs whose requests look alike. This chooses how to wake, never who may see what.
 */
export function recognize(facts: RecognitionFacts): Recognition {
  const readings: readonly (readonly [RecognizedBy, string | undefined])[] = [
    ["initialize", programOfName(facts.initializeName)],
    ["meta_client_info", programOfName(facts.metaClientName ?? clientNameIn(facts.meta))],
    ["meta_keys", programOfKeys(facts.meta ?? {})],
    ["user_agent", programOfUserAgent(facts.userAgent ?? "")],
    ["identify", programOfName(facts.identifiedClient)],
    ["harness", programOfName(facts.harness)],
  ];
  for (const [by, harness] of readings) {
    if (harness !== undefined) return { harness, by };
  }
  return { by: "nothing" };
}

function programOfName(name: string | undefined): string | undefined {
  const id = typeof name === "string" ? agentIdOf(name) : undefined;
  return id === undefined || NAMES_OF_NOBODY.has(id) ? undefined : id;
}

function clientNameIn(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const info = meta?.[CLIENT_INFO_KEY];
  const name = isRecord(info) ? info["name"] : undefined;
  return typeof name === "string" ? name : undefined;
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
