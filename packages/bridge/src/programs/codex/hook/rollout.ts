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

/** The occurrence ids, out of `occurrences`, that stand in what a turn was given as a user's message. */
export function occurrencesInTurns(tail: string, occurrences: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const line of tail.split("\n")) {
    const here = occurrences.filter((id) => !found.has(id) && line.includes(id));
    if (here.length === 0) continue;
    const text = userText(line);
    for (const id of here) if (text.includes(id)) found.add(id);
  }
  return [...found];
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
