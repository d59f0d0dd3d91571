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

/** How an event's hook is run, written as a shell command. */
export interface HookCommands {
  readonly run: (event: string) => string;
  /** Starts a process only where something is subscribed or pending on this machine. */
  readonly runIfAnythingLives: (event: string) => string;
}

/**
 * All entries, by event. Only after a tool or a turn may there be a first subscription to find; the other hooks cost
 * nothing on a machine that has none.
 *
 * `asyncRewake`: runs beside the session, and wakes it by leaving with code 2; what it wrote to stderr is the text. The
 * two `rewake…` fields only make that text read well, and it stands without them. `Notice` is the one hook of a turn's
 * end that Claude Code waits for, since only such hooks can show the user a sentence.
 */
export function hookEntries({ run, runIfAnythingLives }: HookCommands): Readonly<Record<string, readonly HookGroup[]>> {
  const waiting = (command: string): CommandHook => ({
    type: "command",
    command,
    asyncRewake: true,
    timeout: WAIT_SECONDS,
    rewakeMessage: "Wakeshift, for this conversation:",
    rewakeSummary: "Wakeshift event",
  });
  return {
    SessionStart: [{ hooks: [waiting(runIfAnythingLives("SessionStart"))] }],
    UserPromptSubmit: [{ hooks: [waiting(runIfAnythingLives("UserPromptSubmit"))] }],
    PostToolUse: [{ matcher: "mcp__.*", hooks: [waiting(run("PostToolUse"))] }],
    SubagentStop: [{ hooks: [{ type: "command", command: run("SubagentStop"), async: true, timeout: 60 }] }],
    Stop: [{ hooks: [{ type: "command", command: runIfAnythingLives("Notice"), timeout: 10 }, waiting(run("Stop"))] }],
    SessionEnd: [{ hooks: [{ type: "command", command: runIfAnythingLives("SessionEnd"), timeout: 10 }] }],
  };
}
