import type { Output } from "../output.ts";
import { describeDuration } from "./describe-duration.ts";

/** Is told what is waited for, and for how long at most; the function it answers is called when that is over. */
export type Waiting = (what: string, mostMs: number) => () => void;

/** So long a command may say nothing. */
const QUIET_MS = 1_500;

/** Says beside the answer what a command waits for, as soon as that takes longer than a person sits still. */
export function tellWaits(who: string, output: Output): Waiting {
  return (what, mostMs) => {
    const tell = (): void => output.aside(`${who}: waiting for ${what} (${describeDuration(mostMs)} at most)`);
    const timer = setTimeout(tell, QUIET_MS);
    return () => clearTimeout(timer);
  };
}
