/** What a settled call's result means for the subscriptions it made. */
export type Verdict = "final" | "failed" | "unfinished";

/**
 * `failed`: the result says so. `unfinished`: it is no answer yet but a question to the client, or a handle of a task that
 * answers later by another way. `{ error: … }` without `isError` is a success: only the protocol's own field decides.
 */
export function judgeResult(result: unknown): Verdict {
  if (typeof result !== "object" || result === null) return "failed";
  const { isError, resultType, task, content } = result as Readonly<Record<string, unknown>>;
  if (isError === true) return "failed";
  if (resultType !== undefined && resultType !== "complete") return "unfinished";
  if (task !== undefined && content === undefined) return "unfinished";
  return "final";
}
