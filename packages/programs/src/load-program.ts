import type { Program } from "./program/program.ts";

/** One program without loading the others: a hook runs at every tool call and must be quick. */
export async function loadProgram(name: string): Promise<Program | undefined> {
  switch (name) {
    case "codex":
      return (await import("./codex/codex.ts")).codex;
    case "claude-code":
      return (await import("./claude-code/claude-code.ts")).claudeCode;
    case "opencode":
      return (await import("./opencode/opencode.ts")).opencode;
    default:
      return undefined;
  }
}
