import { WakeshiftError } from "@wakeshift/protocol";
import type { Emitted } from "./event.ts";

/** @throws WakeshiftError `bad_response` */
export function readEmitAnswer(answer: Readonly<Record<string, unknown>>): Emitted {
  const { id, matched, duplicate = false } = answer;
  if (typeof id !== "string" || typeof matched !== "number" || typeof duplicate !== "boolean") {
    throw new WakeshiftError("bad_response", "The core's answer to an emit has no good id, matched or duplicate.");
  }
  return { id, matched, duplicate };
}
