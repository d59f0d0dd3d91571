import type { Ended, LiveTicket, Stranded, Wake } from "@wakeshift/protocol";
import { WakeshiftError } from "@wakeshift/protocol";
import type { Ticket } from "../state/ticket-book.ts";
import type { Answering } from "./answering.ts";
import type { CoreHttp } from "./core-http.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { StreamFate, Way } from "./stream-or-poll.ts";

/** Why a line is over, and when the core wants to be asked again, where it said so. */
export interface LineEnd {
  /** Milliseconds, as the core said; `undefined`: it said nothing. */
  readonly comeBackMs: number | undefined;
  readonly detail: string;
  /** What answered at the address, if anything did. */
  readonly answering: Answering | undefined;
  readonly fate: StreamFate;
}

export interface LineEvents {
  /** `confirmed`: what the core says of each ticket. */
  readonly ready: (confirmed: readonly LiveTicket[]) => void;
  /** Something arrived on a stream after `ready`. Called once. */
  readonly flowing: () => void;
  /** What it answers is waited for before more is read: a core can't send faster than wakes are kept. It must not reject. */
  readonly wake: (wake: Wake) => Promise<void>;
  readonly ended: (ended: Ended) => void;
  readonly gap: (subscription: string) => void;
  /** A subscription is matched by no emit any more, or may be matched again. */
  readonly stranded: (stranded: Stranded) => void;
  /** A wake was left at its core, for this reason. */
  readonly unusable: (detail: string) => void;
}

/** One way of receiving wakes from one core. It lives once: who wants another opens another. */
export interface Line {
  readonly way: Way;
  /** What it receives for. A ticket the core has ended is on no line any more, so that one reported again is asked about again. */
  readonly tickets: readonly Ticket[];
  /** What answered, as soon as it is known. */
  readonly answering: Answering | undefined;
  readonly isReady: boolean;
  close(): void;
  /** Runs until the line is over. Sends the tickets of the core that answers, and no others. Never rejects. */
  run(http: CoreHttp, base: string, holder: string, events: LineEvents): Promise<LineEnd>;
}

/** Hands on what a core said of its wakes, by whichever way it came. What is answered is to be waited for before more is read. */
export function handOn(event: StreamEvent, events: LineEvents): Promise<void> | undefined {
  switch (event.kind) {
    case "wake":
      return events.wake(event.wake);
    case "ended":
      events.ended(event.ended);
      break;
    case "unusable":
      events.unusable(event.detail);
      break;
    case "gap":
      events.gap(event.subscription);
      break;
    case "stranded":
      events.stranded(event.stranded);
      break;
    case "ready":
    case "come_back":
    case "ping":
    case "other":
      break;
  }
  return undefined;
}

/** A fault as the detail of a line's end. */
export function describeFault(error: unknown): string {
  return error instanceof WakeshiftError ? error.message : error instanceof Error ? error.message.slice(0, 200) : "unknown fault";
}
