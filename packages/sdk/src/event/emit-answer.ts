import { WakeshiftError } from "@wakeshift/protocol";
import type { Emitted } from "./event.ts";

/** @throws WakeshiftError `bad_response` */
export function readEmitAnswer(answer: Readonly<Record<string, unknown>>): Emitted {
  const { id, matched, connected, duplicate = false } = answer;
  if (typeof id !== "string" || typeof matched !== "number" || typeof duplicate !== "boolean" || !isCount(connected)) {
    throw new WakeshiftError("bad_response", "The core's answer to an emit has no valid id, matched, connected or duplicate.");
  }
  return { id, matched, ...(connected === undefined ? {} : { connected }), duplicate };
}

function isCount(value: unknown): value is number | undefined {
  return value === undefined || typeof value === "number";
}
