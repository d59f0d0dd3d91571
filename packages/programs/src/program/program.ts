import type { ProgramName } from "@wakeshift/protocol";
import type { Runner } from "./runner.ts";

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

/** What the bridge does with one agent program: reads its hooks, wakes its conversations, looks for the proof. */
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
}
