import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { ToolResult } from "../../program/program.ts";
import { toolOfResult } from "../../program/tool-of-result.ts";

/** A line of a transcript, as far as it is read here. */
interface Line {
  readonly type?: unknown;
  readonly promptId?: unknown;
  readonly message?: { readonly content?: unknown };
  readonly mcpMeta?: { readonly _meta?: unknown };
}

interface Part {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly tool_use_id?: unknown;
}

/**
 * The result of one tool call, from the transcript's line about it. `undefined`: the line isn't there yet. The result's
 * `_meta` stands in that line's `mcpMeta` only; hooks don't get it. Lines of other types hold copies of the result without
 * it, such as what was sent to the model, and may come before or after.
 */
export function resultOfCall(transcript: string, toolUseId: string, toolName: string): ToolResult | undefined {
  for (const line of linesWith(transcript, toolUseId)) {
    if (line.type !== "user" || !partsOf(line).some((part) => part.type === "tool_result" && part.tool_use_id === toolUseId)) continue;
    const meta = line.mcpMeta?._meta;
    return { tool: toolOfResult(toolName, meta), meta };
  }
  return undefined;
}

/** Begins the line by which a Stop hook put a turn's end off. */
const FEEDBACK = '"content":"Stop hook feedback:';

/**
 * All results with subscriptions in them, of one prompt's turn or (without a prompt) of the whole text. What came before
 * the turn's end was last put off was reported then, and may have ended since.
 */
export function resultsWithSubscriptions(whole: string, promptId?: string): ToolResult[] {
  const transcript = whole.slice(Math.max(0, whole.lastIndexOf(FEEDBACK)));
  const found = [...linesWith(transcript, SUBSCRIPTION_META_KEY)].filter((line) => promptId === undefined || line.promptId === promptId);
  return found.flatMap((line) => {
    const meta = line.mcpMeta?._meta;
    const id = partsOf(line).find((part) => part.type === "tool_result")?.tool_use_id;
    if (typeof id !== "string" || typeof meta !== "object" || meta === null || !(SUBSCRIPTION_META_KEY in meta)) return [];
    const name = nameOfCall(transcript, id);
    return name === undefined ? [] : [{ tool: toolOfResult(name, meta), meta }];
  });
}

function nameOfCall(transcript: string, toolUseId: string): string | undefined {
  for (const line of linesWith(transcript, toolUseId)) {
    const call = partsOf(line).find((part) => part.type === "tool_use" && part.id === toolUseId);
    if (typeof call?.name === "string") return call.name;
  }
  return undefined;
}

function partsOf(line: Line): readonly Part[] {
  const content = line.message?.content;
  return Array.isArray(content) ? content.filter((part): part is Part => typeof part === "object" && part !== null) : [];
}

/** The parsed lines that hold `text`, newest first. The first line of a file's tail may be cut, so what doesn't parse is passed over. */
export function* linesWith(transcript: string, text: string): Generator<Line> {
  let end = transcript.length;
  for (;;) {
    const hit = end < 0 ? -1 : transcript.lastIndexOf(text, end);
    if (hit < 0) return;
    const from = transcript.lastIndexOf("\n", hit) + 1;
    const next = transcript.indexOf("\n", hit);
    const line = parseLine(transcript.slice(from, next < 0 ? undefined : next));
    if (line !== undefined) yield line;
    if (from === 0) return;
    end = from - 1;
  }
}

function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
