import type { HandedWake, HookReport } from "@wakeshift/programs";
import type { OutcomeRequest, ReportAnswer } from "./local-api.ts";

/**
 * The pipe of `wakeshift hook PROGRAM attach`: one JSON object a line. One such process per program process; it ends
 * with its stdin, and then reports the conversations it listened to as closed.
 */
export type AttachRequest =
  /** Answered by `{id, report: ReportAnswer}`. */
  | { readonly id: number; readonly do: "report"; readonly report: HookReport }
  /** As `report`, but read by the program's own `readHook(event, input)`; its `wait` makes a `listen`. */
  | { readonly id: number; readonly do: "hook"; readonly event: string; readonly input: unknown }
  /**
   * Wakes of this conversation come here from now on, until `left` or `silence`. A later `listen` of another process for
   * the same conversation takes over. Listening costs nothing while nothing is subscribed.
   */
  | { readonly id: number; readonly do: "listen"; readonly conversation: string; readonly unattended: boolean; readonly pid?: number }
  | { readonly id: number; readonly do: "silence"; readonly conversation: string }
  /** What became of a wake. Kept and repeated until a bridge has it. */
  | ({ readonly id: number; readonly do: "outcome" } & OutcomeRequest);

export type AttachLine =
  | { readonly id: number; readonly ok: true; readonly report?: ReportAnswer }
  | { readonly id: number; readonly ok: false; readonly error: { readonly code: string; readonly message: string } }
  | { readonly do: "wake"; readonly wake: HandedWake }
  /** Another process listens to this conversation now. */
  | { readonly do: "left"; readonly conversation: string }
  /** Show this once to the user. */
  | { readonly do: "notice"; readonly text: string };
