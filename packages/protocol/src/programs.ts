/** The agent programs Wakeshift knows, by the names used in CLI, `harness`, docs and wire. */
export const PROGRAMS = [
  "codex",
  "claude-code",
  "opencode",
  "copilot-cli",
  "gemini-cli",
  "cursor",
  "antigravity",
  "vscode",
  "chatgpt",
] as const;

export type ProgramName = (typeof PROGRAMS)[number];

/** Those in which a bridge can start a turn for an occurrence. */
export const WAKEABLE_PROGRAMS: readonly ProgramName[] = ["codex", "claude-code", "opencode"];
