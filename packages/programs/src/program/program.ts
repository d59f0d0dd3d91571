import type { ProgramName } from "@wakeshift/protocol";

/** Where a conversation stands, as its program's hooks told it. */
export type Lifecycle = "opened" | "working" | "idle" | "closed";

/** One tool result a hook saw: the bare MCP tool name and the result's `_meta` exactly as received. */
export interface ToolResult {
  readonly tool: string;
  readonly meta: unknown;
}

/** What one hook call of a program tells the bridge. */
export interface HookReport {
  /** The program's own conversation id. */
  readonly conversation: string;
  readonly lifecycle?: Lifecycle;
  /** The process whose life is the conversation's openness, where it is known. */
  readonly pid?: number;
  /** A run without a person at it: `codex exec`, `claude -p`. */
  readonly unattended: boolean;
  readonly results: readonly ToolResult[];
  /** Occurrence ids proven to stand in a turn's input. */
  readonly seen?: readonly string[];
  /** Small facts the program needs again at delivery (transcript path, CODEX_HOME, …). Never a secret. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** What a hook call amounts to: something to tell, something to wait for, both or nothing. */
export interface HookPlan {
  readonly report?: HookReport;
  /** Hold the hook for a wake of this conversation, at most so long. Not held where nothing is subscribed. */
  readonly wait?: {
    readonly conversation: string;
    readonly unattended: boolean;
    readonly maxMs: number;
    /** Waits, without any bridge, until something is subscribed. Default: a hook with nothing to wait for leaves at once. */
    readonly untilSubscribed?: boolean;
    /** The process whose end makes the waiter leave. Default: the report's pid, else the hook's parent. */
    readonly pid?: number;
  };
}

/** What the hook process writes and how it leaves. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** One framed wake, handed to one taker. */
export interface HandedWake {
  /** Names this handing-over, for its outcome. Local to this bridge. */
  readonly delivery: string;
  readonly conversation: string;
  /** The framed text the model reads. */
  readonly text: string;
  /** The occurrence ids that stand in the text. */
  readonly occurrences: readonly string[];
  /** The subscriptions each occurrence came for, in the same order: two conversations may get one occurrence. */
  readonly subscriptions?: readonly (readonly string[])[];
}

/**
 * How a delivery came out. `handed`: the program holds it durably, or a turn shows it. `seen`: a turn's input holds the
 * occurrence id. `failed`: tried and refused; offered again after a pause. `not_now`: the conversation is closed or must
 * not be disturbed; stays pending until it reports again. An exit code 0 alone is neither `handed` nor `seen`.
 */
export interface Delivery {
  readonly state: "handed" | "seen" | "failed" | "not_now";
  readonly detail?: string;
}

/** What the bridge knows of a conversation when it delivers. */
export interface ConversationState {
  readonly conversation: string;
  readonly unattended: boolean;
  readonly lifecycle: Lifecycle;
  readonly pid?: number;
  readonly facts: Readonly<Record<string, string>>;
}

/** Bounded reads a hook may do, so that `readHook` is otherwise a pure function. */
export interface FileReader {
  /** The last `maxBytes` of a file as UTF-8, or `undefined` where it can't be read. */
  readTail(path: string, maxBytes: number): string | undefined;
  exists(path: string): boolean;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Written to the command's stdin, which is then closed. Default: empty. */
  readonly input?: string;
  /** The command is killed after so long. Default 30,000 ms. */
  readonly timeoutMs?: number;
}

export interface RunResult {
  /** `null`: it was killed or never started. */
  readonly exitCode: number | null;
  /** First 256 KiB each. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** The command doesn't exist. */
  readonly missing?: boolean;
}

/** Starts commands without a shell. */
export interface Runner {
  /** Never rejects: a command that can't be started has `exitCode: null` and the reason in `stderr`. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
}

/** One line of `wakeshift doctor`. */
export interface Check {
  readonly program: string;
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** The one command or action that fixes it, "" where all is well. */
  readonly fix: string;
}

export interface SettingsContext {
  readonly env: NodeJS.ProcessEnv;
  /** The user's home directory. */
  readonly userHome: string;
  /** The folder the command runs in: a program's settings may differ by project. */
  readonly folder: string;
  /** `$WAKESHIFT_HOME`. */
  readonly wakeshiftHome: string;
  /** `$WAKESHIFT_HOME/bin/wakeshift`: what hook entries call. Path and bytes of an entry never change across versions. */
  readonly launcher: string;
  /** The folder of static files shipped for this program (`plugins/<name>`). */
  readonly pluginFolder: string;
  readonly platform: NodeJS.Platform;
  /** A file's text, or `undefined` where there is none. */
  read(path: string): string | undefined;
  readonly run: Runner;
  /** Told what is waited for, and for how long at most; the function it answers is called when that is over. Default: nobody is told. */
  readonly waiting?: (what: string, mostMs: number) => () => void;
}

/** One file that set-up writes or takes away. */
export interface FileChange {
  readonly path: string;
  /** `undefined`: the file isn't there. */
  readonly before: string | undefined;
  /** `undefined`: the file is removed. */
  readonly after: string | undefined;
}

/** Something done through the program's own interface, such as trusting a hook. */
export interface SettingsStep {
  /** One sentence shown before the user says yes. */
  readonly description: string;
  /**
   * What the program would write in this step, on top of the plan's files. Asked only where every line is to be shown. Rejects
   * where that can't be known before.
   */
  preview?(): Promise<readonly FileChange[]>;
  /** Run after the files are written. Rejects with a `WakeshiftError` that says what to do by hand. */
  apply(): Promise<void>;
}

/** What `wakeshift setup PROGRAM` shows and then does. Empty lists: nothing to change. */
export interface SettingsPlan {
  readonly program: ProgramName;
  /** What is added and what it calls, as one sentence without a full stop, for who has to say yes. "": nothing is added. */
  readonly purpose: string;
  readonly files: readonly FileChange[];
  readonly steps: readonly SettingsStep[];
  /** Sentences for the user after it was applied ("start a new session"). */
  readonly notes: readonly string[];
}

/** How a program's settings are changed. Pure but for the reads of the context. */
export interface SettingsMaker {
  /** Whether the program is found on this machine, and where. `fails`: its command is there, and doesn't work. */
  find(context: SettingsContext): Promise<{ readonly found: boolean; readonly fails?: boolean; readonly detail: string }>;
  /** Adds Wakeshift's entries after what is there. Applied twice it changes nothing the second time. */
  install(context: SettingsContext): Promise<SettingsPlan>;
  /**
   * Takes out what `install` added. `applied` is what the last install changed on this machine: a file that still
   * holds those bytes gets its earlier bytes back exactly; an edited one loses only Wakeshift's own entries.
   */
  remove(context: SettingsContext, applied: readonly FileChange[]): Promise<SettingsPlan>;
}

/** One agent program: reads its hooks, wakes its conversations, checks and sets itself up. */
export interface Program {
  readonly name: ProgramName;
  /** Reads one hook call. `input` is the parsed stdin, `undefined` where it was empty or no JSON. Must not throw on any input. */
  readHook(event: string, input: unknown, env: NodeJS.ProcessEnv, files: FileReader): HookPlan | Promise<HookPlan>;
  /** How a hook that held for a wake hands it to the program. */
  answerWake?(event: string, wake: HandedWake): HookAnswer;
  /**
   * Shows a one-time notice, such as a core that waits for the user's answer. An answer without stdout and stderr says
   * that this event can't show one: the notice is kept for an event that can.
   */
  notice?(event: string, text: string): HookAnswer;
  /**
   * `taken`: a waiting hook or plugin comes for the wake. `pushed`: the bridge calls `deliver`, but never for an
   * unattended conversation: there only a waiting hook takes, as it does for any program whose hook asks.
   */
  readonly delivery: "taken" | "pushed";
  deliver?(wake: HandedWake, state: ConversationState, run: Runner): Promise<Delivery>;
  /** Continues a closed conversation with the wake. Called only where the user's setting `resume` says so. */
  resume?(wake: HandedWake, state: ConversationState, run: Runner): Promise<Delivery>;
  /**
   * Looks for the occurrence ids in the program's own record of turns. Asked again and again until it says `seen` or the
   * local lease of the delivery is over. `queued`: the running program holds the wake in memory and will show it when it
   * can (a long tool call, an open dialog): the lease is renewed, since offering it again would show it twice.
   */
  confirm?(wake: HandedWake, state: ConversationState): Promise<"seen" | "queued" | "unknown">;
  /** Whether the conversation is open. Default: its pid lives, and `closed` wasn't reported. */
  isOpen?(state: ConversationState): boolean;
  /**
   * Whether the version that is installed can be woken. Where it can't, the detail says which is there, which is needed
   * and what doesn't work. `doctor` and `setup` both say it.
   */
  checkVersion(context: SettingsContext): Promise<Check>;
  check(context: SettingsContext): Promise<readonly Check[]>;
  /** When the program's own records last changed by a turn, in milliseconds of the wall clock; `undefined` if it has none. */
  lastTurn?(context: SettingsContext): number | undefined;
  /**
   * Whether the program's own records show a subscription that hasn't expired, whoever heard of it. Absent: its records don't
   * hold what a result brought.
   */
  recordsSubscription?(context: SettingsContext, now: number): boolean;
  /** The command that opens a closed conversation, without its id. */
  readonly openWith?: readonly string[];
  readonly settings: SettingsMaker;
}
