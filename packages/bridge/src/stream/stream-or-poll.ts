/** How the wakes of a core reach the bridge: by event streams, or by long polls where something on the way holds streams back. */
export type Way = "stream" | "poll";

/** Time bounds of choosing between the two, in milliseconds. */
export interface WayTimes {
  /** How long a stream that was asked for may stay without its first event. */
  readonly readyMs: number;
  /** Pause between attempts to stream while the core is polled. */
  readonly streamAgainMs: number;
}

/** Three withheld streams take 45 seconds, so that a wake is there within two minutes. */
export const DEFAULT_WAY_TIMES: WayTimes = { readyMs: 15_000, streamAgainMs: 300_000 };

/** What a stream showed about the way to its core. `untested`: nothing. */
export type StreamFate = "flowed" | "withheld" | "untested";

export interface StreamFacts {
  /** The core that answers said who it is, and was asked for the stream. */
  readonly isAsked: boolean;
  /** Some event arrived. */
  readonly isHeard: boolean;
  /** Something arrived after `ready`, be it a ping: bytes come through one by one. */
  readonly isFlowing: boolean;
  /** `silent`: nothing arrived for too long. `left`: the bridge closed it. `refused`: by the core, in its own words. */
  readonly end: "silent" | "left" | "refused" | "over";
}

const WITHHELD_IN_A_ROW = 3;

/** Judges a stream that is over. A relay may also pass on what comes first, and hold the rest: that stream falls silent. */
export function fateOfStream({ isAsked, isHeard, isFlowing, end }: StreamFacts): StreamFate {
  if (isFlowing) return "flowed";
  if (!isAsked || end === "left" || end === "refused") return "untested";
  return end === "silent" || !isHeard ? "withheld" : "untested";
}

/** Withheld streams in a row, after one more of this fate. */
export function countWithheld(before: number, fate: StreamFate): number {
  return fate === "flowed" ? 0 : fate === "withheld" ? before + 1 : before;
}

/** The way to take after so many withheld streams in a row. */
export function chooseWay(withheld: number): Way {
  return withheld < WITHHELD_IN_A_ROW ? "stream" : "poll";
}
