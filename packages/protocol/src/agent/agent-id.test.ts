import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROGRAMS } from "../programs.ts";
import { agentIdOf, isProgramName } from "./agent-id.ts";

describe("agent ids", () => {
  it("are a known program's own name, whichever of its names a client used", () => {
    const names = {
      codex: ["codex", "codex-mcp-client", "Codex-MCP-Client"],
      "claude-code": ["claude-code", "Claude Code", "claude-code (via mcp-remote 0.1.37)"],
      opencode: ["opencode", "OpenCode"],
      "copilot-cli": ["copilot-cli", "copilot"],
      "gemini-cli": ["gemini-cli", "gemini", "gemini-cli-mcp-client"],
      cursor: ["cursor", "Cursor", "cursor-vscode"],
      antigravity: ["antigravity", "antigravity-client"],
      vscode: ["vscode", "Visual Studio Code", "Visual Studio Code - Insiders"],
      chatgpt: ["chatgpt", "ChatGPT", "openai-mcp", "openai-mcp (ChatGPT)", "openai-mcp (Codex)"],
    };
    for (const [program, spellings] of Object.entries(names)) {
      for (const name of spellings) expect(agentIdOf(name)).toBe(program);
    }
    expect(Object.keys(names).sort()).toEqual([...PROGRAMS].sort());
  });

  it("of unknown clients are the name in lowercase, without parentheses, with dashes, at most 40 characters", () => {
    expect(agentIdOf("My  Agent (beta 2) / Pro")).toBe("my-agent-pro");
    expect(agentIdOf("--Goose_Desktop!!")).toBe("goose-desktop");
    expect(agentIdOf("x".repeat(60))).toBe("x".repeat(40));
    expect(agentIdOf(`${"x".repeat(39)} y`)).toBe("x".repeat(39));
    expect(agentIdOf("unclosed (bracket")).toBe("unclosed");
  });

  it("are nothing where no letter or digit is left", () => {
    for (const name of ["", "   ", "(only this)", "ÄÖ", "——"]) expect(agentIdOf(name)).toBeUndefined();
  });

  it("never hold another character, whatever the name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (name) => {
        expect(agentIdOf(name) ?? "none").toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect((agentIdOf(name) ?? "").length).toBeLessThanOrEqual(40);
      }),
    );
  });

  it("don't come from an object's inherited fields", () => {
    expect(agentIdOf("constructor")).toBe("constructor");
    expect(isProgramName("constructor")).toBe(false);
    expect(isProgramName("codex")).toBe(true);
  });
});
