import { describe, expect, it } from "vitest";
import { recognize } from "./recognize.ts";
import type { RecognitionFacts } from "./recognize.ts";

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

/** Each fact of the order names another program. */
const EVERYTHING = {
  initializeName: "codex-mcp-client",
  metaClientName: "opencode",
  meta: { "claudecode/toolUseId": "toolu_1" },
  userAgent: "copilot-cli/1.0.102",
  identifiedClient: "cursor",
  harness: "gemini-cli",
} satisfies RecognitionFacts;

describe("recognition", () => {
  it("asks initialize, then _meta client info, then _meta keys, then User-Agent, then identify, then harness (seed-157, seed-158, seed-159, seed-160, seed-161, seed-162)", () => {
    const order: readonly (readonly [keyof RecognitionFacts, string, string])[] = [
      ["initializeName", "codex", "initialize"],
      ["metaClientName", "opencode", "meta_client_info"],
      ["meta", "claude-code", "meta_keys"],
      ["userAgent", "copilot-cli", "user_agent"],
      ["identifiedClient", "cursor", "identify"],
      ["harness", "gemini-cli", "harness"],
    ];
    const facts: Partial<Record<keyof RecognitionFacts, unknown>> = { ...EVERYTHING };
    for (const [fact, harness, by] of order) {
      expect(recognize(facts as RecognitionFacts)).toEqual({ harness, by });
      delete facts[fact];
    }
    expect(recognize(facts as RecognitionFacts)).toEqual({ by: "nothing" });
  });

  it("knows each program over stateless HTTP (seed-164)", () => {
    const requests: readonly (readonly [string, RecognitionFacts])[] = [
      ["claude-code", { userAgent: "claude-code/2.1.332 (cli)" }],
      ["codex", { userAgent: "codex-mcp-client/0.171.0" }],
      ["antigravity", { userAgent: "antigravity/1.5.14" }],
      ["antigravity", { meta: { [CLIENT_INFO]: { name: "antigravity-client", version: "v1.0.0" } } }],
      ["opencode", { userAgent: "opencode/1.18.33" }],
      ["cursor", { userAgent: "Cursor/1.0.0" }],
      ["cursor", { userAgent: "Cursor/3.20.17 (darwin arm64)" }],
      ["copilot-cli", { userAgent: "copilot-cli/1.0.102" }],
    ];
    for (const [program, facts] of requests) expect(recognize(facts).harness).toBe(program);
  });

  it("knows Claude Code by a User-Agent that starts with claude-code/, and only so (seed-165)", () => {
    expect(recognize({ userAgent: "claude-code/2.1.0 (external, cli)" })).toEqual({ harness: "claude-code", by: "user_agent" });
    for (const userAgent of ["my-proxy claude-code/2.1.0", "claude-codex/1.0", "claude-code", "claude-cli/2.1.332 (external, sdk-cli)"]) {
      expect(recognize({ userAgent })).toEqual({ by: "nothing" });
    }
  });

  it("takes any other client's name from identify, as an id (seed-166)", () => {
    expect(recognize({ userAgent: "node", identifiedClient: "Acme Agent (beta)" })).toEqual({ harness: "acme-agent", by: "identify" });
    expect(recognize({ userAgent: "python-httpx/0.28", identifiedClient: "codex" })).toEqual({ harness: "codex", by: "identify" });
  });

  it("lets harness decide only where nothing else tells (seed-162)", () => {
    expect(recognize({ userAgent: "node", harness: "gemini-cli" })).toEqual({ harness: "gemini-cli", by: "harness" });
    expect(recognize({ userAgent: "claude-code/2.1.332 (cli)", harness: "codex" })).toEqual({ harness: "claude-code", by: "user_agent" });
  });

  it("reads client info from _meta itself where the caller did not (seed-158)", () => {
    expect(recognize({ meta: { [CLIENT_INFO]: { name: "claude-code", version: "2.1.332" } } })).toEqual({
      harness: "claude-code",
      by: "meta_client_info",
    });
  });

  it("knows Codex, Claude Code and VS Code by their own _meta keys (seed-159)", () => {
    expect(recognize({ meta: { threadId: "01a22915" } }).harness).toBe("codex");
    expect(recognize({ meta: { "x-codex-turn-metadata": { thread_id: "01a22915" } } }).harness).toBe("codex");
    expect(recognize({ meta: { "claudecode/toolUseId": "toolu_1" } }).harness).toBe("claude-code");
    expect(recognize({ meta: { "vscode.conversationId": "c" }, userAgent: "copilot-cli/1.0.102" }).harness).toBe("vscode");
  });

  it("learns nothing from a name that MCP libraries send by default, nor from an unknown User-Agent", () => {
    expect(recognize({ initializeName: "mcp", userAgent: "opencode/1.18.33" })).toEqual({ harness: "opencode", by: "user_agent" });
    expect(recognize({ userAgent: "Mozilla/5.0 (X11) curl/8" })).toEqual({ by: "nothing" });
  });

  it("isn't misled or broken by values of the wrong type", () => {
    const meta = { threadId: 7, "claudecode/toolUseId": null, "x-codex-turn-metadata": "x", [CLIENT_INFO]: ["claude-code"] };
    expect(recognize({ meta, harness: "" })).toEqual({ by: "nothing" });
    expect(recognize({ meta: { [CLIENT_INFO]: { name: 3 } }, harness: 4 as unknown as string })).toEqual({ by: "nothing" });
    expect(recognize({ meta: JSON.parse('{"__proto__":{"threadId":"x"}}') as Record<string, unknown> })).toEqual({ by: "nothing" });
  });
});
