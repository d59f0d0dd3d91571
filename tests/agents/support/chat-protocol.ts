import type { Answer, Conversation } from "./script.ts";
import type { ModelReply } from "./model-reply.ts";
import { isScriptDone, isWake } from "./script.ts";
import { plainText } from "./plain-text.ts";

type Json = Readonly<Record<string, unknown>>;

/** OpenAI chat completions: reads a request. */
export function readChat(body: Json): Conversation {
  let newest = "";
  let results: string[] = [];
  for (const message of (body["messages"] ?? []) as Json[]) {
    const text = plainText(message["content"]);
    if (message["role"] === "tool") results.push(text);
    else if (message["role"] === "user") {
      if (isWake(text) && !isScriptDone(newest, results.length)) continue;
      newest = text;
      results = [];
    }
  }
  const tools = (body["tools"] ?? []) as { function?: { name?: string } }[];
  return { newest, results, toolNames: tools.flatMap((tool) => tool.function?.name ?? []) };
}

/** OpenAI chat completions: writes an answer. */
export function writeChat(body: Json, answer: Answer, sequence: number): ModelReply {
  const base = { id: `chatcmpl-${sequence}`, created: 1_700_000_000, model: body["model"] };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const calls =
    answer.kind === "call"
      ? [{ index: 0, id: `call_${sequence}`, type: "function", function: { name: answer.name, arguments: JSON.stringify(answer.args) } }]
      : undefined;
  const message = { role: "assistant", content: answer.kind === "text" ? answer.text : null, ...(calls ? { tool_calls: calls } : {}) };
  const finish = calls ? "tool_calls" : "stop";
  if (body["stream"] !== true) {
    return { json: { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage } };
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  return {
    events: [
      { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }], usage } },
      { data: "[DONE]" },
    ],
  };
}
