/** What Claude Code writes to a hook's stdin, as far as it is read here. */
export interface HookInput {
  readonly session: string;
  /** The conversation's transcript, a file of JSON lines. */
  readonly transcript: string;
  readonly cwd: string;
  /** Names the prompt whose turn this is; the turn's lines in the transcript carry it. */
  readonly promptId?: string;
  /** `mcp__SERVER__TOOL` */
  readonly toolName?: string;
  readonly toolUseId?: string;
  /** The sub-agent that called the tool. */
  readonly agentId?: string;
  /** A sub-agent's own transcript, as `SubagentStop` names it. */
  readonly agentTranscript?: string;
  /** Work that goes on in the background after a turn: the run isn't at its end yet. */
  readonly hasBackgroundTasks: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a hook's input. `undefined` where it isn't Claude Code's: other programs load Claude Code's hooks too (Cursor
 * says so in `cursor_version`), and they have set-ups of their own.
 */
export function parseHookInput(input: unknown): HookInput | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const fields = input as Json;
  if ("cursor_version" in fields) return undefined;
  const session = text(fields, "session_id");
  const transcript = text(fields, "transcript_path");
  if (session === undefined || transcript === undefined) return undefined;
  const background = fields["background_tasks"];
  return {
    session,
    transcript,
    cwd: text(fields, "cwd") ?? "",
    hasBackgroundTasks: Array.isArray(background) && background.length > 0,
    ...optional("promptId", text(fields, "prompt_id")),
    ...optional("toolName", text(fields, "tool_name")),
    ...optional("toolUseId", text(fields, "tool_use_id")),
    ...optional("agentId", text(fields, "agent_id")),
    ...optional("agentTranscript", text(fields, "agent_transcript_path")),
  };
}

function text(fields: Json, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}
