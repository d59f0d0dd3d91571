import type { Answer, Conversation } from "./script.ts";
import type { ModelReply } from "./model-reply.ts";
import { isScriptDone, isWake, readScript } from "./script.ts";
import { plainText } from "./plain-text.ts";

type Json = Readonly<Record<string, unknown>>;

/** Programs put their own surroundings into user messages; those are not what the user said. */
const SURROUNDINGS = /^\s*(<environment_context>|<permissions|# AGENTS|<user_instructions>|<INSTRUCTIONS)/;

/** OpenAI Responses: reads a request. */
export function readResponses(body: Json): Conversation {
  const items: Json[] = Array.isArray(body["input"])
    ? (body["input"] as Json[])
    : [{ type: "message", role: "user", content: body["input"] }];
  let newest = "";
  let results: string[] = [];
  for (const item of items) {
    const type = item["type"] ?? "message";
    if (type === "message" && item["role"] === "user") {
      const text = plainText(item["content"]);
      if (SURROUNDINGS.test(text) && readScript(text).length === 0) continue;
      if (isWake(text) && !isScriptDone(newest, results.length)) continue;
      newest = text;
      results = [];
    } else if (type === "function_call_output" || type === "custom_tool_call_output") results.push(plainText(item["output"]));
  }
  return { newest, results, toolNames: [...toolsOf(body).keys()] };
}

/** OpenAI Responses: writes an answer, as server-sent events if the request asked for a stream. */
export function writeResponses(body: Json, answer: Answer, sequence: number): ModelReply {
  const tool = answer.kind === "call" ? (toolsOf(body).get(answer.name) ?? { name: answer.name }) : {};
  const item =
    answer.kind === "call"
      ? {
          type: "function_call",
          id: `fc_${sequence}`,
          call_id: `call_${sequence}`,
          ...tool,
          arguments: JSON.stringify(answer.args),
          status: "completed",
        }
      : {
          type: "message",
          id: `msg_${sequence}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: answer.text, annotations: [] }],
        };
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const whole = {
    id: `resp_${sequence}`,
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    model: body["model"],
    output: [item],
    usage,
  };
  if (body["stream"] !== true) return { json: whole };
  const at = { item_id: item.id, output_index: 0 };
  const middle =
    answer.kind === "call"
      ? [{ type: "response.function_call_arguments.done", ...at, arguments: JSON.stringify(answer.args) }]
      : [
          { type: "response.content_part.added", ...at, content_index: 0, part: { type: "output_text", text: "", annotations: [] } },
          { type: "response.output_text.delta", ...at, content_index: 0, delta: answer.text },
          { type: "response.output_text.done", ...at, content_index: 0, text: answer.text },
        ];
  const started = answer.kind === "call" ? { ...item, arguments: "" } : { ...item, content: [] };
  const events = [
    { type: "response.created", response: { ...whole, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.added", output_index: 0, item: started },
    ...middle,
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: whole },
  ];
  return { events: events.map((data) => ({ event: data.type, data })) };
}

function toolsOf(body: Json): Map<string, Json> {
  const tools = new Map<string, Json>();
  for (const tool of (body["tools"] ?? []) as Json[]) {
    if (tool["type"] === "namespace") {
      for (const inner of (tool["tools"] ?? []) as Json[]) {
        tools.set(`${String(tool["name"])}__${String(inner["name"])}`, { namespace: tool["name"], name: inner["name"] });
      }
    } else if (typeof tool["name"] === "string") tools.set(tool["name"], { name: tool["name"] });
  }
  return tools;
}
