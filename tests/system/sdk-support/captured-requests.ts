/**
 * One program's `tools/call` with the header fields that tell anything: captured on the wire where the program can be run here.
 * Of Cursor and Antigravity, which can't, it is put together from Cursor's published runtime and both programs' logs.
 */
export interface Captured {
  readonly program: string;
  /** How the program that sent it is called by Wakeshift. `undefined`: nothing in the request tells. */
  readonly harness: string | undefined;
  readonly modern: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly jsonrpc: "2.0"; readonly id: number; readonly method: string; readonly params: Readonly<Record<string, any>> };
}

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const CLAUDE_INFO = {
  name: "claude-code",
  title: "Claude Code",
  version: "2.1.332",
  description: "Anthropic's agentic coding tool",
  websiteUrl: "https://claude.com/claude-code",
};
const THREAD = "01a22915-2156-7b10-b8bd-84fb496a9f83";

export const CAPTURED: readonly Captured[] = [
  {
    program: "Codex 0.171.0",
    harness: "codex",
    modern: false,
    headers: {
      ...JSON_HEADERS,
      "user-agent": "codex-mcp-client/0.171.0",
      "mcp-protocol-version": "2025-06-18",
      accept: "text/event-stream, application/json",
    },
    body: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: {
        _meta: {
          callId: "call_138",
          "x-codex-turn-metadata": {
            session_id: THREAD,
            thread_id: THREAD,
            model: "fake-model",
            turn_id: "01a22915-227d-77a2-a060-48aa9ac27651",
            turn_started_at_unix_ms: 1795985580694,
            thread_source: "user",
            turn_trigger: "exec",
            sandbox: "none",
            sandbox_mode: "danger-full-access",
            auto_review_enabled: false,
            node_repl_auto_review_required: false,
            node_repl_disabled: false,
            workspaces: { "/home/someone/secret-project": { has_changes: false } },
            codex_version: "0.171.0",
          },
          threadId: THREAD,
          sessionId: THREAD,
          windowId: `${THREAD}:0`,
          itemId: "fc_138",
          progressToken: 1,
        },
        name: "start_crawl",
        arguments: { url: "https://a" },
      },
    },
  },
  {
    program: "Claude Code 2.1.332, 2025-11-25",
    harness: "claude-code",
    modern: false,
    headers: { ...JSON_HEADERS, "user-agent": "claude-code/2.1.332 (sdk-cli)", "mcp-protocol-version": "2025-11-25" },
    body: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: {
        name: "start_crawl",
        arguments: { url: "https://a" },
        _meta: { "claudecode/toolUseId": "toolu_fake140", progressToken: 2 },
      },
    },
  },
  {
    program: "Claude Code 2.1.332, 2026-07-28",
    harness: "claude-code",
    modern: true,
    headers: {
      ...JSON_HEADERS,
      "user-agent": "claude-code/2.1.332 (sdk-cli)",
      "mcp-method": "tools/call",
      "mcp-name": "start_crawl",
      "mcp-protocol-version": "2026-07-28",
    },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "start_crawl",
        arguments: { url: "https://a" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": CLAUDE_INFO,
          "io.modelcontextprotocol/clientCapabilities": { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
          "claudecode/toolUseId": "toolu_fake142",
          progressToken: 1,
        },
      },
    },
  },
  {
    program: "opencode 1.18.33",
    harness: "opencode",
    modern: false,
    headers: { ...JSON_HEADERS, "user-agent": "opencode/1.18.33", "mcp-protocol-version": "2025-11-25" },
    body: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: {
        name: "start_crawl",
        arguments: { url: "https://a", session_key: "INJ-ses_dd6ea976effeh13Not1VuZiUem" },
        _meta: { progressToken: 2 },
      },
    },
  },
  {
    program: "Copilot CLI 1.0.102, 2026-07-28",
    harness: "copilot-cli",
    modern: true,
    headers: {
      ...JSON_HEADERS,
      "user-agent": "copilot-cli/1.0.102",
      "mcp-method": "tools/call",
      "mcp-name": "start_crawl",
      "mcp-protocol-version": "2026-07-28",
    },
    body: {
      jsonrpc: "2.0",
      id: 5,
      method: "tools/call",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "copilot-cli", version: "1.0.102" },
          "io.modelcontextprotocol/clientCapabilities": {
            extensions: { "io.modelcontextprotocol/tasks": {} },
            sampling: {},
            elicitation: { form: {}, url: {} },
          },
          progressToken: 4,
        },
        arguments: { url: "https://a" },
        name: "start_crawl",
      },
    },
  },
  {
    program: "Gemini CLI 0.61.0, which tells nothing without a session",
    harness: undefined,
    modern: false,
    headers: { ...JSON_HEADERS, "user-agent": "node" },
    body: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "start_crawl", arguments: { url: "https://a" }, _meta: { progressToken: "caf1530f-4830-4423-9b3e-65aa06958bb5" } },
    },
  },
  {
    program: "Copilot CLI 1.0.102, 2025-11-25",
    harness: "copilot-cli",
    modern: false,
    headers: {
      ...JSON_HEADERS,
      accept: "text/event-stream, application/json",
      "user-agent": "copilot-cli/1.0.102",
      "mcp-protocol-version": "2025-11-25",
    },
    body: {
      jsonrpc: "2.0",
      id: 5,
      method: "tools/call",
      params: { _meta: { progressToken: 3 }, arguments: { url: "https://a" }, name: "start_crawl" },
    },
  },
  {
    program: "Cursor's runtime 1.0.32",
    harness: "cursor",
    modern: false,
    headers: { ...JSON_HEADERS, "user-agent": "Cursor/1.0.0", "mcp-protocol-version": "2025-11-25" },
    body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "start_crawl", arguments: { url: "https://a" } } },
  },
  {
    program: "Cursor 3.20.17",
    harness: "cursor",
    modern: false,
    headers: { ...JSON_HEADERS, "user-agent": "Cursor/3.20.17 (darwin arm64)", "mcp-protocol-version": "2025-11-25" },
    body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "start_crawl", arguments: { url: "https://a" } } },
  },
  {
    program: "Antigravity, 2025-11-25",
    harness: "antigravity",
    modern: false,
    headers: { ...JSON_HEADERS, "user-agent": "antigravity/1.5.14", "mcp-protocol-version": "2025-11-25" },
    body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "start_crawl", arguments: { url: "https://a" } } },
  },
  {
    program: "Antigravity, 2026-07-28",
    harness: "antigravity",
    modern: true,
    headers: {
      ...JSON_HEADERS,
      "user-agent": "node",
      "mcp-method": "tools/call",
      "mcp-name": "start_crawl",
      "mcp-protocol-version": "2026-07-28",
    },
    body: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: {
        name: "start_crawl",
        arguments: { url: "https://a" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "antigravity-client", version: "v1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
        },
      },
    },
  },
];

/** A program's `initialize`, from the same sources. Its User-Agent is left out here, so that the name alone tells. */
export interface CapturedInitialize {
  readonly program: string;
  readonly harness: string;
  readonly params: {
    readonly protocolVersion: string;
    readonly capabilities: object;
    readonly clientInfo: { readonly name: string; readonly version: string };
  };
}

const ELICITATION = { elicitation: { form: {}, url: {} } };

export const CAPTURED_INITIALIZE: readonly CapturedInitialize[] = [
  {
    program: "Codex",
    harness: "codex",
    params: { protocolVersion: "2025-06-18", capabilities: ELICITATION, clientInfo: { name: "codex-mcp-client", version: "0.171.0" } },
  },
  {
    program: "Claude Code",
    harness: "claude-code",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { roots: { listChanged: true }, ...ELICITATION },
      clientInfo: CLAUDE_INFO,
    },
  },
  {
    program: "opencode",
    harness: "opencode",
    params: { protocolVersion: "2025-11-25", capabilities: { roots: {} }, clientInfo: { name: "opencode", version: "1.18.33" } },
  },
  {
    program: "Copilot CLI",
    harness: "copilot-cli",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} }, sampling: {}, ...ELICITATION },
      clientInfo: { name: "copilot-cli", version: "1.0.102" },
    },
  },
  {
    program: "Gemini CLI",
    harness: "gemini-cli",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: "gemini-cli-mcp-client", version: "0.61.0" },
    },
  },
  {
    program: "Cursor's runtime",
    harness: "cursor",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: "Cursor", version: "1.0.0" },
    },
  },
  {
    program: "Cursor",
    harness: "cursor",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "cursor-vscode", version: "1.0.0" } },
  },
  {
    program: "Antigravity",
    harness: "antigravity",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { ...ELICITATION, roots: { listChanged: true } },
      clientInfo: { name: "antigravity-client", version: "v1.0.0" },
    },
  },
  {
    program: "VS Code",
    harness: "vscode",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "Visual Studio Code - Insiders", version: "1.120.0" } },
  },
];
