import type { ProgramName } from "@wakeshift/protocol";
import type { HandedWake, HookReport } from "@wakeshift/programs";

/**
 * Wire shapes of the bridge's local API: HTTP and JSON over a unix socket (a named pipe on Windows), never over TCP.
 * Errors are `{"error": {"code", "message"}}` with the status of the error table.
 */

/** `POST /v1/report` */
export interface ReportRequest extends HookReport {
  readonly program: ProgramName;
  /** Whether the caller can show a notice. Default false: a notice waits for a caller that can. */
  readonly can_notice?: boolean;
}

export interface ReportAnswer {
  /** Subscriptions taken from the results. */
  readonly accepted: number;
  /** Entries that weren't well formed, or stood in another tool's result. */
  readonly refused: number;
  /** Origins that wait for the user's answer; their subscriptions are kept, but nothing is contacted. */
  readonly waiting: readonly string[];
  /** Live subscriptions of this conversation, waiting ones included. */
  readonly live: number;
  /** Shown once in the program. */
  readonly notice?: string;
}

/** `POST /v1/take`: a long poll for one wake of one conversation. */
export interface TakeRequest {
  readonly program: ProgramName;
  readonly conversation: string;
  /** Names this waiter: the same taker asking again goes on waiting, another one replaces it. */
  readonly taker: string;
  readonly pid?: number;
  readonly unattended: boolean;
  /** 0–50,000. */
  readonly wait_ms: number;
  /** How long this taker has waited already, so that a restarted bridge goes on counting. */
  readonly waited_ms?: number;
}

export interface TakeAnswer {
  readonly wake: HandedWake | null;
  readonly live: number;
  /** Stop asking: a newer taker waits, nothing is subscribed, or an unattended run waited long enough. */
  readonly leave?: true;
}

/** `POST /v1/outcome`. A delivery without one within its local lease is offered again. */
export interface OutcomeRequest {
  readonly delivery: string;
  readonly state: "handed" | "seen" | "failed" | "not_now";
  readonly detail?: string;
}

export interface OutcomeAnswer {
  /** false: the delivery is unknown or was settled before. */
  readonly known: boolean;
}

/** `GET /v1/subscriptions` */
export interface ListedTicket {
  /** Subscription id. */
  readonly id: string;
  readonly origin: string;
  readonly app: { readonly id: string; readonly name: string };
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly program: ProgramName;
  readonly conversation: string;
  readonly once: boolean;
  /** ISO 8601. */
  readonly expires_at: string;
  /** `stranded`: no emit matches it, since its event changed what routes are made of. */
  readonly state: "live" | "stranded" | "waiting_for_answer" | "denied";
}

export interface SubscriptionsAnswer {
  readonly subscriptions: readonly ListedTicket[];
}

/** A core in `GET /v1/status`. */
export interface CoreStatus {
  readonly origin: string;
  readonly allowed: boolean;
  /** Allowed because `dev` or `serve` started it on this machine. */
  readonly local: boolean;
  readonly connected: boolean;
  /** How its wakes come. `poll`: streams are held back on the way. Absent: not connected, or an older bridge. */
  readonly way?: "stream" | "poll";
  readonly streams: number;
  readonly subscriptions: number;
  /** Why it isn't connected, or why some of its subscriptions are held; "" if neither is so. */
  readonly detail: string;
  /** Subscriptions that are kept, and not sent to what answers at the address now. Absent: none is. */
  readonly held?: HeldStatus;
}

/** Why subscriptions are held: another core answers at their address, or something that can't prove to be the core noted there. */
export interface HeldStatus {
  readonly subscriptions: number;
  readonly because: "other_core" | "unproven";
}

/** Subscriptions at a core that their user denied. */
export interface MutedStatus {
  readonly origin: string;
  /** The one app that is denied. Absent: the core as a whole is. */
  readonly app?: { readonly id: string; readonly name: string };
  readonly subscriptions: number;
}

/** A wake that hasn't reached its conversation yet, and where it stands. */
export interface PendingStatus {
  readonly occurrence: string;
  readonly subscription: string;
  readonly program: ProgramName;
  readonly conversation: string;
  /** ISO 8601. */
  readonly since: string;
  readonly state: "queued" | "leased" | "conversation_closed" | "over_budget" | "failed" | "no_taker" | "muted";
  readonly detail: string;
}

/** A subscription that was refused because its result came from a tool of another name. */
export interface RefusedTool {
  readonly program: ProgramName;
  /** What the program called the tool. */
  readonly called: string;
  /** The tool that the subscription names. */
  readonly named: string;
  /** When last, ISO 8601. */
  readonly at: string;
}

/** A conversation with something subscribed. */
export interface ConversationStatus {
  readonly program: ProgramName;
  readonly conversation: string;
  readonly subscriptions: number;
  /** Its program has it open, so that a wake can reach it now. */
  readonly open: boolean;
}

/** The newest wake that reached a conversation. What it said stands in `show`, not here. */
export interface LastWake {
  /** When it was handed over, ISO 8601. */
  readonly at: string;
  readonly program: ProgramName;
  readonly conversation: string;
  /** As they are called where the wake came from; "" where this machine no longer knew. */
  readonly app: { readonly id: string; readonly name: string };
  readonly event: string;
  readonly occurrence: string;
  /** `handed`: the program holds it. `seen`: a turn of the conversation showed it. */
  readonly state: "handed" | "seen";
}

/** `GET /v1/status` */
export interface StatusAnswer {
  readonly pid: number;
  readonly supervisor: number;
  readonly version: string;
  /** ISO 8601. */
  readonly since: string;
  readonly cores: readonly CoreStatus[];
  readonly subscriptions: number;
  readonly waiting_for_answer: readonly { readonly origin: string; readonly apps: readonly string[]; readonly subscriptions: number }[];
  /** What is kept, and neither contacted nor shown, since the user denied it. Absent from an older bridge. */
  readonly muted?: readonly MutedStatus[];
  /** Conversations with something subscribed. Absent in the answer of an older bridge. */
  readonly conversations?: readonly ConversationStatus[];
  /** Absent in the answer of an older bridge. */
  readonly refused_tools?: readonly RefusedTool[];
  /** State files that couldn't be read, under the names they were set aside by. Absent in the answer of an older bridge. */
  readonly set_aside?: readonly string[];
  readonly pending: readonly PendingStatus[];
  readonly unsent_acks: number;
  /** Absent: none was handed over on this machine yet. */
  readonly last_wake?: LastWake;
  readonly settings: SettingsAnswer;
}

export interface SettingsAnswer {
  readonly resume: "never" | "unattended" | "always";
  /** Milliseconds. */
  readonly "unattended-wait": number;
  /** Wakes per conversation and hour. */
  readonly "wake-budget": number;
}

/** `POST /v1/end` */
export interface EndRequest {
  readonly id: string;
}

export interface EndAnswer {
  readonly ended: number;
}

/** `POST /v1/allow`, `POST /v1/deny` */
export interface TrustRequest {
  readonly origin: string;
  /** Only this app of the core, by id or name. */
  readonly app?: string;
}

export interface TrustAnswer {
  readonly origin: string;
  /** Subscriptions this answer concerns. */
  readonly subscriptions: number;
  /** Whom the answer is about. Absent: every app of the core. */
  readonly app?: { readonly id: string; readonly name: string };
  /** What holds for apps of this core without an answer of their own. */
  readonly others: "allowed" | "denied" | "waiting";
}

/** `GET /v1/occurrences/ID` */
export interface OccurrenceAnswer {
  readonly occurrence: string;
  readonly event: string;
  readonly app: { readonly id: string; readonly name: string };
  readonly subscription: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly payload: unknown;
  /** When it was emitted, ISO 8601. */
  readonly timestamp: string;
}

/** `POST /v1/set`. `value` in the spelling of `wakeshift set KEY VALUE`. */
export interface SetRequest {
  readonly key: string;
  readonly value: string;
}

/** `POST /v1/stop` */
export interface StopAnswer {
  readonly stopping: true;
}
