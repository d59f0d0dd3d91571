/** The hooks Wakeshift has in Claude Code. Their text stays the same across versions: users' settings hold it. */
export const HOOK_EVENTS = ["SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStop", "Stop", "SessionEnd"] as const;

/** One hook as Claude Code's settings spell it. */
interface CommandHook {
  readonly type: "command";
  readonly command: string;
  readonly timeout: number;
  readonly async?: true;
  readonly asyncRewake?: true;
  readonly rewakeMessage?: string;
  readonly rewakeSummary?: string;
}

/** One element of an event's list. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly CommandHook[];
}

/** As long as a timer of the program can run, in whole days of seconds. A waiter that ends sooner would leave an idle session deaf. */
const WAIT_SECONDS = 21 * 86_400;

/**
 * All entries, by event. `run` writes the shell command that runs the hook of one event.
 *
 * `asyncRewake`: runs beside the session, and wakes it by leaving with code 2; what it wrote to stderr is the text. The
 * two `rewake…` fields only make that text read well, and it stands without them.
 */
export function hookEntries(run: (event: string) => string, runNotice: string): Readonly<Record<string, readonly HookGroup[]>> {
  const waiting = (event: string): CommandHook => ({
    type: "command",
    command: run(event),
    asyncRewake: true,
    timeout: WAIT_SECONDS,
    rewakeMessage: "Wakeshift, for this conversation:",
    rewakeSummary: "Wakeshift event",
  });
  return {
    SessionStart: [{ hooks: [waiting("SessionStart")] }],
    UserPromptSubmit: [{ hooks: [waiting("UserPromptSubmit")] }],
    PostToolUse: [{ matcher: "mcp__.*", hooks: [waiting("PostToolUse")] }],
    SubagentStop: [{ hooks: [{ type: "command", command: run("SubagentStop"), async: true, timeout: 60 }] }],
    Stop: [{ hooks: [{ type: "command", command: runNotice, timeout: 10 }, waiting("Stop")] }],
    SessionEnd: [{ hooks: [{ type: "command", command: run("SessionEnd"), timeout: 10 }] }],
  };
}
