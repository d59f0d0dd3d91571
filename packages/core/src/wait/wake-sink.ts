import type { Ended, Gap, Stranded } from "@wakeshift/protocol";

/** Where a reader puts what it reads: an open stream, or the answer of a long poll. Its methods must not throw. */
export interface WakeSink {
  /** Whether more wakes may be put. A reader leases nothing while there is no room. */
  hasRoom(): boolean;
  /** @param json - see `wakeJson` */
  wake(json: string): void;
  ended(ended: Ended): void;
  gap(gap: Gap): void;
  stranded(stranded: Stranded): void;
}
