import { framesOccurrence } from "@wakeshift/protocol";
import { linesWith } from "./transcript-results.ts";

/** A line of a transcript that may show a wake. */
interface Line {
  readonly type?: unknown;
  readonly isSidechain?: unknown;
  readonly message?: { readonly content?: unknown };
  readonly attachment?: { readonly type?: unknown; readonly prompt?: unknown };
  readonly operation?: unknown;
  readonly content?: unknown;
  readonly timestamp?: unknown;
}

/**
 * Whether a turn's input holds the occurrence. Three lines say so: the user line of a turn the wake began (in an idle
 * session, or as the feedback of a Stop hook that held a one-shot run), the prompt of a resumed conversation, and the
 * attachment `queued_command` of a wake that joined a running turn. A line about the program's queue says nothing of the
 * kind: what is queued is lost when the process ends.
 */
export function isInTurn(transcript: string, occurrence: string, subscriptions?: readonly string[]): boolean {
  for (const line of linesWith(transcript, occurrence) as Generator<Line>) {
    if (line.type === "user" && line.isSidechain !== true && framesOccurrence(plainText(line.message?.content), occurrence, subscriptions))
      return true;
    if (
      line.type === "attachment" &&
      line.attachment?.type === "queued_command" &&
      framesOccurrence(plainText(line.attachment.prompt), occurrence, subscriptions)
    )
      return true;
  }
  return false;
}

/** Whether the process that started at `startedAt` (wall clock, ms) still holds the wake in its queue. */
export function isQueued(transcript: string, occurrence: string, startedAt: number, subscriptions?: readonly string[]): boolean {
  const operations = ([...linesWith(transcript, '"queue-operation"')] as Line[])
    .filter((line) => line.type === "queue-operation" && Date.parse(String(line.timestamp)) >= startedAt)
    .reverse();
  if (!operations.some((line) => line.operation === "enqueue" && framesOccurrence(plainText(line.content), occurrence, subscriptions)))
    return false;
  // A dequeue doesn't say what it took, and the queue isn't first in, first out: all that counts is whether anything is left.
  return (
    operations.reduce(
      (left, line) =>
        line.operation === "enqueue" ? left + 1 : line.operation === "dequeue" || line.operation === "remove" ? Math.max(0, left - 1) : 0,
      0,
    ) > 0
  );
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { readonly type?: unknown; readonly text?: unknown }) =>
      part?.type === "text" && typeof part.text === "string" ? part.text : "",
    )
    .join("\n");
}
