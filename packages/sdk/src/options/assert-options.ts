import type { ErrorCode } from "@wakeshift/protocol";
import { isRecord, WakeshiftError } from "@wakeshift/protocol";
import { nearName } from "./near-name.ts";

/** Every name of an options type. The compiler refuses one that is missing here, or that the type doesn't have. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

const LONGEST_SHOWN_CHARACTERS = 64;

/**
 * Refuses options that nobody reads. In JavaScript a misspelled option would otherwise count as one that was left out.
 * @param place what the options were passed to, for the sentence: `call.subscribe()`
 * @throws WakeshiftError with the given code if `given` isn't an object, or has a name that isn't among `names`
 */
export function assertOptions<Options>(given: Options, names: OptionNames<Options>, place: string, code: ErrorCode = "bad_request"): void {
  if (!isRecord(given))
    throw new WakeshiftError(code, `The options of ${place} must be an object, not ${given === null ? "null" : typeof given}.`);
  const known = Object.keys(names);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearName(unknown, known);
  const advice = near === undefined ? `It takes ${known.join(", ")}.` : `Did you mean ${near}?`;
  throw new WakeshiftError(code, `${place} has no option ${shown(unknown)}. ${advice}`);
}

/**
 * For options most of which somebody else reads: refuses only a name that is nearly one of ours.
 * @throws WakeshiftError `bad_request`
 */
export function assertNoNearMiss(given: object, name: string, place: string): void {
  const miss = Object.keys(given).find((each) => each !== name && nearName(each, [name]) !== undefined);
  if (miss !== undefined) throw new WakeshiftError("bad_request", `${place} has no option ${shown(miss)}. Did you mean ${name}?`);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, LONGEST_SHOWN_CHARACTERS));
}
