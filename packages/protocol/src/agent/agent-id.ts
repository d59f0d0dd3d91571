import type { ProgramName } from "../programs.ts";
import { PROGRAMS } from "../programs.ts";

/** MCP client names and ids that older SDKs published, in id form, by the program they mean. */
const ALIASES: Readonly<Record<string, ProgramName>> = {
  "codex-mcp-client": "codex",
  "cursor-vscode": "cursor",
  copilot: "copilot-cli",
  gemini: "gemini-cli",
  "gemini-cli-mcp-client": "gemini-cli",
  "antigravity-client": "antigravity",
  "visual-studio-code": "vscode",
  "visual-studio-code-insiders": "vscode",
  "openai-mcp": "chatgpt",
};

const MAX_LENGTH = 40;

/**
 * Turns a client's name into an agent id: the name of the program where it is a known one, else the name in lowercase,
 * without anything in parentheses, dashes for other characters, at most 40. `undefined`: nothing is left of the name.
 */
export function agentIdOf(name: string): ProgramName | (string & {}) | undefined {
  const id = name
    .slice(0, 1_024)
    .toLowerCase()
    .replace(/\([^()]*\)?/g, " ")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_LENGTH)
    .replace(/-$/, "");
  if (id === "") return undefined;
  return Object.hasOwn(ALIASES, id) ? ALIASES[id] : id;
}

/** Tells whether an agent id is that of a program Wakeshift knows. */
export function isProgramName(id: string): id is ProgramName {
  return (PROGRAMS as readonly string[]).includes(id);
}
