import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileReader, HookPlan } from "../program/program.ts";
import { readHook } from "./hook.ts";

interface Captured {
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>> & { readonly transcript_path: string; readonly session_id: string };
  readonly env: NodeJS.ProcessEnv;
}

const captures = join(import.meta.dirname, "captured");
const transcripts: Readonly<Record<string, string>> = {
  stream: read("transcript-stream.jsonl"),
  oneshot: read("transcript-oneshot.jsonl"),
  agent: read("transcript-agent.jsonl"),
};
/** The one-shot run's transcript when its first turn ended. */
const beforeFeedback = transcripts["oneshot"]
  ?.split("\n")
  .filter((_, place, lines) => place < lines.findIndex((line) => line.includes('"content":"Stop hook feedback:')))
  .join("\n");
const STREAMING = ["claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json"];
const ONE_SHOT = ["claude", "-p", "do it"];

function read(name: string): string {
  return readFileSync(join(captures, name), "utf8");
}

function captured(run: string, event: string, place = 0): Captured {
  const all = read(`hooks-${run}.jsonl`)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Captured);
  const found = all.filter((one) => one.event === event)[place];
  if (found === undefined) throw new Error(`no captured ${event} in ${run}`);
  return found;
}

const filesWith = (text: string | undefined, path?: string): FileReader => ({
  readTail: (asked) => (path === undefined || asked === path ? text : undefined),
  exists: () => text !== undefined,
});

function plan(
  hook: Captured,
  files: FileReader,
  commandLine: readonly string[] | undefined = STREAMING,
  env: NodeJS.ProcessEnv = {},
): Promise<HookPlan> {
  return readHook(hook.event, hook.input, { ...hook.env, ...env }, files, {
    commandLineOf: () => commandLine,
    pause: () => Promise.resolve(),
    isAlive: () => true,
  });
}

const ticketsOf = (hookPlan: HookPlan): unknown[] =>
  (hookPlan.report?.results ?? []).map((result) => [
    result.tool,
    (result.meta as Record<string, { ticket: string }[]>)["ai.wakeshift/subscription"]?.[0]?.ticket,
  ]);

describe("PostToolUse", () => {
  it("takes the subscription out of the transcript's line about the call, text or structured result (seed-153)", async () => {
    const files = filesWith(transcripts["stream"]);
    expect(ticketsOf(await plan(captured("stream", "PostToolUse", 0), files))).toEqual([["plain", "wkt_captured"]]);
    expect(ticketsOf(await plan(captured("stream", "PostToolUse", 1), files))).toEqual([["start_crawl", "wkt_captured"]]);
  });

  it("finds nothing in the result of a tool that subscribed nothing", async () => {
    expect(ticketsOf(await plan(captured("stream", "PostToolUse", 2), filesWith(transcripts["stream"])))).toEqual([]);
  });

  it("waits for the line where the hook was faster than the transcript", async () => {
    let reads = 0;
    const late: FileReader = { readTail: () => ((reads += 1) < 4 ? "" : transcripts["stream"]), exists: () => true };
    expect(ticketsOf(await plan(captured("stream", "PostToolUse"), late))).toHaveLength(1);
    expect(reads).toBe(4);
  });

  const counting = (waited: { ms: number }, isAlive: () => boolean): Parameters<typeof readHook>[4] => ({
    commandLineOf: () => STREAMING,
    pause: (ms) => Promise.resolve(void (waited.ms += ms)),
    isAlive,
  });

  it("waits for minutes where the machine stands still, since nothing else finds the line later", async () => {
    const hook = captured("stream", "PostToolUse");
    const waited = { ms: 0 };
    const late: FileReader = { readTail: () => (waited.ms < 300_000 ? "" : transcripts["stream"]), exists: () => true };
    const found = await readHook(
      hook.event,
      hook.input,
      hook.env,
      late,
      counting(waited, () => true),
    );
    expect(ticketsOf(found)).toHaveLength(1);
  });

  it("gives up after a bounded number of looks", async () => {
    let reads = 0;
    const never: FileReader = { readTail: () => ((reads += 1), undefined), exists: () => false };
    expect(ticketsOf(await plan(captured("stream", "PostToolUse"), never))).toEqual([]);
    expect(reads).toBeLessThan(100);
  });

  it("looks once more when the program has ended, and leaves", async () => {
    const hook = captured("stream", "PostToolUse");
    const waited = { ms: 0 };
    let reads = 0;
    const end = (text: string | undefined): Promise<HookPlan> => {
      const files: FileReader = { readTail: () => ((reads += 1) < 3 ? "" : text), exists: () => true };
      return readHook(
        hook.event,
        hook.input,
        hook.env,
        files,
        counting(waited, () => reads < 2),
      );
    };
    expect(ticketsOf(await end(transcripts["stream"]))).toHaveLength(1);
    reads = 0;
    expect(ticketsOf(await end(""))).toEqual([]);
    expect(reads).toBe(3);
  });

  it.each([
    ["lines of other calls", 40, 100_000],
    ["a picture", 1, 6_000_000],
  ])("finds the line behind megabytes of %s", async (_what, lines, characters) => {
    const more = `${JSON.stringify({ type: "user", message: { role: "user", content: "x".repeat(characters) } })}\n`.repeat(lines);
    const whole = `${transcripts["stream"]?.trimEnd() ?? ""}\n${more}`;
    const files: FileReader = { readTail: (_path, maxBytes) => whole.slice(-maxBytes), exists: () => true };
    expect(ticketsOf(await plan(captured("stream", "PostToolUse"), files))).toHaveLength(1);
  });

  it("reads a sub-agent's own transcript", async () => {
    const hook = captured("agent", "PostToolUse");
    const own = `${hook.input.transcript_path.replace(/\.jsonl$/, "")}/subagents/agent-${String(hook.input["agent_id"])}.jsonl`;
    expect(ticketsOf(await plan(hook, filesWith(transcripts["agent"], own)))).toEqual([["plain", "wkt_captured"]]);
  });

  it("waits for a wake afterwards, so that an interrupted turn has a waiter", async () => {
    const hook = captured("stream", "PostToolUse");
    expect((await plan(hook, filesWith(transcripts["stream"]))).wait).toMatchObject({
      conversation: hook.input.session_id,
      unattended: true,
      pid: Number(hook.env["CLAUDE_PID"]),
    });
  });

  it("leaves at once in a one-shot run, which would wait for it", async () => {
    expect(await plan(captured("oneshot", "PostToolUse"), filesWith(transcripts["oneshot"]), ONE_SHOT)).toEqual({});
  });

  it("takes an unattended run whose command line can't be read as one-shot", async () => {
    const hook = captured("stream", "PostToolUse");
    const around = { commandLineOf: () => undefined, pause: () => Promise.resolve(), isAlive: () => true };
    expect(await readHook(hook.event, hook.input, hook.env, filesWith(transcripts["stream"]), around)).toEqual({});
  });

  it("leaves tools of the program itself alone", async () => {
    const hook = captured("stream", "PostToolUse");
    expect(await plan({ ...hook, input: { ...hook.input, tool_name: "Bash" } }, filesWith(transcripts["stream"]))).toEqual({});
  });
});

describe("Stop", () => {
  it("in a one-shot run picks the turn's subscriptions up and holds the run", async () => {
    const hookPlan = await plan(captured("oneshot", "Stop"), filesWith(beforeFeedback), ONE_SHOT);
    expect(ticketsOf(hookPlan)).toEqual([["plain", "wkt_captured"]]);
    expect(hookPlan.report).toMatchObject({ lifecycle: "idle", unattended: true });
    expect(hookPlan.wait).toMatchObject({ unattended: true });
  });

  it("doesn't tell again what it told before it put the turn's end off", async () => {
    expect(ticketsOf(await plan(captured("oneshot", "Stop", 1), filesWith(transcripts["oneshot"]), ONE_SHOT))).toEqual([]);
  });

  it("takes only its own turn's subscriptions", async () => {
    const hook = captured("oneshot", "Stop");
    expect(ticketsOf(await plan({ ...hook, input: { ...hook.input, prompt_id: "another" } }, filesWith(beforeFeedback), ONE_SHOT))).toEqual(
      [],
    );
  });

  it("doesn't hold a one-shot run that the bridge started", async () => {
    expect(
      (await plan(captured("oneshot", "Stop"), filesWith(transcripts["oneshot"]), ONE_SHOT, { WAKESHIFT_RESUMED: "1" })).wait,
    ).toBeUndefined();
  });

  it("doesn't hold a one-shot run while a sub-agent works in the background", async () => {
    const hook = captured("oneshot", "Stop");
    const busy = { ...hook, input: { ...hook.input, background_tasks: [{ id: "a", type: "subagent", status: "running" }] } };
    expect((await plan(busy, filesWith(transcripts["oneshot"]), ONE_SHOT)).wait).toBeUndefined();
  });

  it("doesn't hold a one-shot run whose end the program would no longer put off", async () => {
    const hook = captured("oneshot", "Stop");
    const feedback = transcripts["oneshot"]?.split("\n").find((line) => line.includes('"content":"Stop hook feedback:')) ?? "";
    expect(feedback).not.toBe("");
    const files = (count: number): FileReader => filesWith(`${transcripts["oneshot"] ?? ""}${`${feedback}\n`.repeat(count)}`);
    expect((await plan(hook, files(6), ONE_SHOT)).wait).toBeDefined();
    expect((await plan(hook, files(7), ONE_SHOT)).wait).toBeUndefined();
    expect((await plan(hook, files(7), ONE_SHOT, { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "20" })).wait).toBeDefined();
  });

  it("waits beside a session that streams, and reports its turn's subscriptions again: the hook of a call may have been killed", async () => {
    const hook = captured("stream", "Stop", 1);
    const hookPlan = await plan(hook, filesWith(transcripts["stream"]));
    expect(hookPlan.wait).toBeDefined();
    const { prompt_id: prompt, ...without } = hook.input as Readonly<Record<string, unknown>>;
    const ofTurn = (transcripts["stream"] ?? "")
      .split("\n")
      .filter((line) => line.includes("wkt_captured") && line.includes('"mcpMeta"') && line.includes(String(prompt)));
    expect(ticketsOf(hookPlan)).toHaveLength(ofTurn.length);
    const another = { ...hook, input: { ...hook.input, prompt_id: "another" } };
    expect(ticketsOf(await plan(another, filesWith(transcripts["stream"])))).toEqual([]);
    expect(ticketsOf(await plan({ ...hook, input: without as typeof hook.input }, filesWith(transcripts["stream"])))).toEqual([]);
  });
});

describe("the other events", () => {
  it("report where the conversation stands, its process and what delivery needs", async () => {
    const hook = captured("stream", "SessionStart");
    const hookPlan = await plan(hook, filesWith(undefined));
    expect(hookPlan.report).toEqual({
      conversation: hook.input.session_id,
      lifecycle: "opened",
      pid: Number(hook.env["CLAUDE_PID"]),
      unattended: true,
      results: [],
      facts: { transcript: hook.input.transcript_path, cwd: hook.input["cwd"] },
    });
    expect((await plan(captured("stream", "UserPromptSubmit"), filesWith(undefined))).report).toMatchObject({ lifecycle: "working" });
    expect((await plan(captured("stream", "SessionEnd"), filesWith(undefined))).report).toMatchObject({ lifecycle: "closed" });
  });

  it("keep the configuration folder where it isn't the usual one", async () => {
    expect(
      (await plan(captured("stream", "SessionStart"), filesWith(undefined), STREAMING, { CLAUDE_CONFIG_DIR: "/srv/claude" })).report?.facts,
    ).toMatchObject({ config: "/srv/claude" });
  });

  it("never hold the start of a one-shot run or its prompt (PC-25)", async () => {
    expect((await plan(captured("oneshot", "SessionStart"), filesWith(undefined), ONE_SHOT)).wait).toBeUndefined();
    expect((await plan(captured("oneshot", "UserPromptSubmit"), filesWith(undefined), ONE_SHOT)).wait).toBeUndefined();
    expect((await plan(captured("oneshot", "SessionEnd"), filesWith(undefined), ONE_SHOT)).wait).toBeUndefined();
  });

  it("take a sub-agent's subscriptions at its end", async () => {
    expect(ticketsOf(await plan(captured("agent", "SubagentStop"), filesWith(transcripts["agent"]), ONE_SHOT))).toEqual([
      ["plain", "wkt_captured"],
    ]);
  });

  it("are attended where a person is at the session", async () => {
    const attended = await plan(captured("stream", "SessionStart"), filesWith(undefined), ["claude"], {
      CLAUDE_CODE_SESSION_ATTENDED: "1",
      CLAUDE_CODE_ENTRYPOINT: "cli",
    });
    expect(attended.report?.unattended).toBe(false);
    expect(attended.wait?.unattended).toBe(false);
    expect(
      (await plan(captured("stream", "SessionStart"), filesWith(undefined), STREAMING, { CLAUDE_CODE_ENTRYPOINT: "claude-vscode" })).report
        ?.unattended,
    ).toBe(false);
  });

  it("do nothing for a program that borrows Claude Code's hooks", async () => {
    const hook = captured("stream", "Stop");
    expect(await plan({ ...hook, input: { ...hook.input, cursor_version: "3.2.0" } }, filesWith(transcripts["stream"]))).toEqual({});
  });

  it.each([undefined, null, 7, "text", [], {}, { session_id: 1 }, { session_id: "", transcript_path: "x" }])(
    "do nothing for the input %j",
    async (input) => {
      for (const event of ["SessionStart", "PostToolUse", "Stop", "SessionEnd", "Unheard"]) {
        const around = { commandLineOf: () => undefined, pause: () => Promise.resolve(), isAlive: () => true };
        expect(await readHook(event, input, {}, filesWith(undefined), around)).toEqual({});
      }
    },
  );
});
