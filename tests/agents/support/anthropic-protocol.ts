import type { Answer, Conversation } from "./script.ts";
import type { ModelReply } from "./model-reply.ts";
import { isScriptDone, isWake, readScript } from "./script.ts";
import { plainText } from "./plain-text.ts";

type Json = Readonly<Record<string, unknown>>;

/** Anthropic Messages: reads a request; system messages in the middle and system reminders may hold wakes. */
export function readAnthropic(body: Json): Conversation {
  let newest = "";
  let results: string[] = [];
  for (const message of (body["messages"] ?? []) as Json[]) {
    if (message["role"] === "assistant") continue;
    const parts =
      typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : ((message["content"] ?? []) as Json[]);
    for (const part of parts.filter((one) => one["type"] === "tool_result")) results.push(plainText(part["content"]));
    for (const part of parts.filter((one) => one["type"] === "text")) {
      const text = plainText(part);
      if (!isSaid(String(message["role"]), text)) continue;
      if (isWake(text) && !isScriptDone(newest, results.length)) continue;
      newest = text;
      results = [];
    }
  }
  const tools = (body["tools"] ?? []) as { name?: string }[];
  return { newest, results, toolNames: tools.flatMap((tool) => tool.name ?? []) };
}

function isSaid(role: string, text: string): boolean {
  if (text.trim() === "") return false;
  if (isWake(text) || readScript(text).length > 0) return true;
  return role === "user" && !/^\s*<system-reminder>/.test(text);
}

/** Anthropic Messages: writes an answer. */
export function writeAnthropic(body: Json, answer: Answer, sequence: number): ModelReply {
  const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 };
  const base = { id: `msg_${sequence}`, type: "message", role: "assistant", model: body["model"] };
  const block =
    answer.kind === "call"
      ? { type: "tool_use", id: `toolu_scripted${sequence}`, name: answer.name, input: answer.args }
      : { type: "text", text: answer.text };
  const stop = answer.kind === "call" ? "tool_use" : "end_turn";
  if (body["stream"] !== true) return { json: { ...base, content: [block], stop_reason: stop, stop_sequence: null, usage } };
  const opened = answer.kind === "call" ? { ...block, input: {} } : { type: "text", text: "" };
  const delta =
    answer.kind === "call"
      ? { type: "input_json_delta", partial_json: JSON.stringify(answer.args) }
      : { type: "text_delta", text: answer.text };
  const events = [
    {
      type: "message_start",
      message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: opened },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return { events: events.map((data) => ({ event: data.type, data })) };
}
