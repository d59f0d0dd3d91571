import { framesOccurrence, isRecord } from "@wakeshift/protocol";
import type { HandedWake } from "../../program/program.ts";

/** Codex writes a thread's history as JSON lines, its "rollout". These read the end of one; the first line may be cut. */

/**
 * How the newest turn in `tail` was started: `exec` for a run without a person, `user`, `queue`, or what an embedding
 * program called it. `undefined` where the tail holds no start of a turn.
 */
export function newestTurnTrigger(tail: string): string | undefined {
  const at = tail.lastIndexOf('"turn_trigger":"');
  if (at === -1) return undefined;
  return /^"turn_trigger":"([^"\\]*)"/.exec(tail.slice(at, at + 120))?.[1];
}

/** Whether every occurrence of the wake was given to a turn as a user's message, in its frame. */
export function turnsHold(tail: string, wake: Pick<HandedWake, "occurrences" | "subscriptions">): boolean {
  const texts = tail
    .split("\n")
    .filter((line) => line.includes("[Wakeshift] "))
    .map(userText);
  return wake.occurrences.every((id, place) => texts.some((text) => framesOccurrence(text, id, wake.subscriptions?.[place])));
}

function userText(line: string): string {
  let item: unknown;
  try {
    item = JSON.parse(line);
  } catch {
    return "";
  }
  if (!isRecord(item) || item["type"] !== "response_item" || !isRecord(item["payload"])) return "";
  const { type, role, content } = item["payload"];
  if (type !== "message" || role !== "user" || !Array.isArray(content)) return "";
  return content.map((part: unknown) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : "")).join("\n");
}
