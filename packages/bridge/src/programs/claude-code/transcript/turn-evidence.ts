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
export function isInTurn(transcript: string, occurrence: string): boolean {
  for (const line of linesWith(transcript, occurrence) as Generator<Line>) {
    if (line.type === "user" && line.isSidechain !== true && namesOccurrence(plainText(line.message?.content), occurrence)) return true;
    if (
      line.type === "attachment" &&
      line.attachment?.type === "queued_command" &&
      namesOccurrence(plainText(line.attachment.prompt), occurrence)
    )
      return true;
  }
  return false;
}

/** Whether the process that started at `startedAt` (wall clock, ms) still holds the wake in its queue. */
export function isQueued(transcript: string, occurrence: string, startedAt: number): boolean {
  const operations = ([...linesWith(transcript, '"queue-operation"')] as Line[])
    .filter((line) => line.type === "queue-operation" && Date.parse(String(line.timestamp)) >= startedAt)
    .reverse();
  if (!operations.some((line) => line.operation === "enqueue" && namesOccurrence(plainText(line.content), occurrence))) return false;
  // A dequeue doesn't say what it took, and the queue isn't first in, first out: all that counts is whether anything is left.
  return (
    operations.reduce(
      (left, line) =>
        line.operation === "enqueue" ? left + 1 : line.operation === "dequeue" || line.operation === "remove" ? Math.max(0, left - 1) : 0,
      0,
    ) > 0
  );
}

/**
 * Whether a text holds the frame's heading of the occurrence. Only headings count: a line of the event's text stands
 * behind `> `, its payload behind `payload: `, and the ids end the line, so nothing from outside can name another one.
 */
export function namesOccurrence(text: string, occurrence: string): boolean {
  return text.split("\n").some((line) => {
    if (line.startsWith("> ") || line.startsWith("payload: ")) return false;
    const heading = line.indexOf("[Wakeshift] ");
    return heading >= 0 && /, occurrence (\S+), subscription \S+\s*$/.exec(line)?.[1] === occurrence;
  });
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
