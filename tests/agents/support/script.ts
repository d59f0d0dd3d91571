/**
 * What the scripted model does is written in the newest user text, line by line:
 *
 * - `#tool NAME {json}`: call the tool whose name is NAME or ends in it;
 * - `#hold NAME`: give the next answer only once the test released NAME;
 * - `#sleep MS`: give the next answer that much later.
 *
 * Lines are taken in order. After the last one the model answers in text and the turn ends.
 */
export interface Step {
  readonly tool?: { readonly suffix: string; readonly args: unknown };
  readonly hold?: string;
  readonly sleepMs?: number;
}

export type Answer =
  { readonly kind: "call"; readonly name: string; readonly args: unknown } | { readonly kind: "text"; readonly text: string };

/** What one request to the model comes down to, whatever protocol it was spoken in. */
export interface Conversation {
  readonly newest: string;
  /** Tool results that arrived since the newest user text. */
  readonly results: readonly string[];
  readonly toolNames: readonly string[];
}

export interface Decision {
  readonly answer: Answer;
  readonly holds: readonly string[];
  readonly sleepMs: number;
}

export function readScript(text: string): Step[] {
  const steps: Step[] = [];
  for (const line of text.split("\n")) {
    const tool = /^["\s]*#tool\s+(\S+)\s+(\{.*\})/.exec(line);
    const hold = /^["\s]*#hold\s+(\w+)/.exec(line);
    const sleep = /^["\s]*#sleep\s+(\d+)/.exec(line);
    if (tool) steps.push({ tool: { suffix: tool[1] ?? "", args: parseArguments(tool[2] ?? "{}") } });
    else if (hold) steps.push({ hold: hold[1] ?? "" });
    else if (sleep) steps.push({ sleepMs: Number(sleep[1]) });
  }
  return steps;
}

/** Whether every tool call of this text's script has its result. */
export function isScriptDone(newest: string, results: number): boolean {
  return readScript(newest).filter((step) => step.tool).length <= results;
}

/** A wake, wherever the program put it (user text, system reminder, system message in the middle). */
export function isWake(text: string): boolean {
  return text.includes("[Wakeshift]");
}

/** Decides the answer to one request; pure. */
export function decide(conversation: Conversation): Decision {
  const { newest, results, toolNames } = conversation;
  if (toolNames.length === 0) return { answer: { kind: "text", text: "A short title" }, holds: [], sleepMs: 0 };
  const holds: string[] = [];
  let sleepMs = 0;
  let passed = 0;
  for (const step of readScript(newest)) {
    if (step.hold !== undefined && passed === results.length) holds.push(step.hold);
    if (step.sleepMs !== undefined && passed === results.length) sleepMs += step.sleepMs;
    if (!step.tool) continue;
    if (passed === results.length) return { answer: callOf(step.tool, toolNames), holds, sleepMs };
    passed += 1;
  }
  const last = results.at(-1);
  return { answer: { kind: "text", text: `DONE[${results.length}]${last === undefined ? "" : ` ${last.slice(0, 300)}`}` }, holds, sleepMs };
}

function callOf(tool: { suffix: string; args: unknown }, toolNames: readonly string[]): Answer {
  const name = toolNames.find((candidate) => candidate === tool.suffix) ?? toolNames.find((candidate) => candidate.endsWith(tool.suffix));
  if (name === undefined) return { kind: "text", text: `NOTOOL ${tool.suffix} among ${toolNames.join(",").slice(0, 1500)}` };
  return { kind: "call", name, args: tool.args };
}

function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}
