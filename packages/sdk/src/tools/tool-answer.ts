import { isRecord } from "@wakeshift/protocol";
import type { ToolResult } from "../attach/register-tool.ts";
import type { ZodShape } from "./zod-shape.ts";

/** What a definition's handler may answer: text, a tool result, or, where the tool has an output schema, its data alone. */
export type ToolAnswer = string | number | ToolResult | Readonly<Record<string, unknown>>;

const RESULT_FIELDS = ["content", "structuredContent", "_meta", "isError", "resultType"] as const;

/**
 * An answer as a tool result, the way the frameworks that take such answers read them, so that something can be added to it. What
 * they would refuse stays as it is.
 */
export function readAnswer(answer: unknown, output: ZodShape | undefined): unknown {
  if (typeof answer === "string" || typeof answer === "number") {
    const content = [{ type: "text", text: String(answer) }];
    const [[name, field] = [], ...others] = Object.entries(output ?? {});
    const alone = name !== undefined && field !== undefined && others.length === 0 && takes(field, answer);
    return alone ? { content, structuredContent: { [name]: answer } } : { content };
  }
  if (!isRecord(answer)) return answer;
  const isResult = RESULT_FIELDS.some((field) => Object.hasOwn(answer, field));
  const result = output !== undefined && !isResult ? { structuredContent: answer } : answer;
  if (result["structuredContent"] === undefined || result["content"] !== undefined) return result;
  return { content: [{ type: "text", text: JSON.stringify(result["structuredContent"]) }], ...result };
}

/**
 * Whether the framework will refuse this result once it gets it, by what the author's own output shape says. A missing field is read
 * as zod reads it, inherited ones included: else what is refused for its `constructor` would count as accepted.
 */
export function isAnswerRefused(result: unknown, output: ZodShape | undefined): boolean {
  const { content, structuredContent: data } = result as { readonly content?: unknown; readonly structuredContent?: unknown };
  if (data === undefined) return output !== undefined || !Array.isArray(content);
  if (!isRecord(data)) return true;
  if (output === undefined) return false;
  return (
    Object.keys(data).some((name) => !Object.hasOwn(output, name)) ||
    Object.entries(output).some(([name, field]) => !takes(field, data[name]))
  );
}

/** A field that answers later can't be waited for here, and counts as one that takes the value. */
function takes(field: ZodShape[string], value: unknown): boolean {
  const answer = field["~standard"].validate(value) as { readonly issues?: unknown };
  return answer.issues === undefined;
}
