import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { FileReader } from "../program/program.ts";
import { codexHome } from "./records/codex-command.ts";
import { readHook } from "./hook.ts";

const captured = (name: string): unknown => JSON.parse(readFileSync(new URL(`captured/${name}.json`, import.meta.url), "utf8"));
const execRollout = readFileSync(new URL("captured/rollout-exec.jsonl", import.meta.url), "utf8");
const filesWith = (text: string | undefined): FileReader => ({
  readTail: (_path, bytes) => text?.slice(-bytes),
  exists: () => text !== undefined,
});
const env = { HOME: "/home/ann", PATH: "/usr/bin" };

test("reports the tickets in a tool result, with the bare tool name and where Codex lives (seed-152)", () => {
  const { report, wait } = readHook("PostToolUse", captured("post-tool-use-exec"), env, filesWith(execRollout), 42);
  expect(report).toMatchObject({
    conversation: "01a229bd-5d15-7280-9a2d-93e9240c8460",
    lifecycle: "working",
    pid: 42,
    unattended: true,
    results: [{ tool: "watch_crawl", meta: { "ai.wakeshift/subscription": [{ id: "sub_00000000000000000000000000000001" }] } }],
    facts: { codex_home: "/home/ann/.codex", path: "/usr/bin", cwd: "/home/ann/project" },
  });
  expect(wait).toBeUndefined();
});

test("has nothing to say about another server's result", () => {
  expect(readHook("PostToolUse", captured("post-tool-use-other-server"), env, filesWith(execRollout), 42)).toEqual({});
});

test("reads a result that came as JSON text", () => {
  const input = captured("post-tool-use-exec") as Record<string, unknown>;
  const { report } = readHook(
    "PostToolUse",
    { ...input, tool_response: JSON.stringify(input["tool_response"]) },
    env,
    filesWith(execRollout),
    42,
  );
  expect(report?.results).toHaveLength(1);
});

test("holds an exec run at the end of its turn", () => {
  const { report, wait } = readHook("Stop", captured("stop-exec"), env, filesWith(execRollout), 42);
  expect(report).toMatchObject({ lifecycle: "idle", unattended: true, results: [] });
  expect(wait).toMatchObject({ conversation: "01a229bd-5d15-7280-9a2d-93e9240c8460", unattended: true });
  expect(wait?.maxMs).toBeLessThan(86_400_000);
});

test("never holds a conversation that a person has open", () => {
  const interactive = execRollout.replaceAll('"turn_trigger":"exec"', '"turn_trigger":"user"');
  const { report, wait } = readHook("Stop", captured("stop-exec"), env, filesWith(interactive), 42);
  expect(report).toMatchObject({ lifecycle: "idle", unattended: false });
  expect(wait).toBeUndefined();
});

test("finds the start of a turn that lies far back", () => {
  const long = `${execRollout}${`{"type":"event_msg","payload":{"text":"${"x".repeat(1000)}"}}\n`.repeat(600)}`;
  expect(readHook("Stop", captured("stop-exec"), env, filesWith(long), 42).wait).toBeDefined();
});

test("doesn't hold where the rollout can't be read", () => {
  expect(readHook("Stop", captured("stop-exec"), env, filesWith(undefined), 42).wait).toBeUndefined();
});

test.each([
  undefined,
  null,
  "text",
  7,
  [],
  {},
  { session_id: 5 },
  { session_id: "" },
  { session_id: "t", tool_response: "no json", tool_name: 3 },
])("leaves at once on an input it doesn't know: %j", (input) => {
  expect(readHook("PostToolUse", input, {}, filesWith(undefined), 42)).toEqual({});
});

test("leaves at once on an event it didn't ask for", () => {
  expect(readHook("SessionStart", captured("stop-exec"), env, filesWith(execRollout), 42)).toEqual({});
});

test("takes CODEX_HOME where it is set", () => {
  expect(codexHome({ HOME: "/home/ann", CODEX_HOME: "/data/codex" })).toBe("/data/codex");
  expect(codexHome({ HOME: "/home/ann", CODEX_HOME: "" })).toBe("/home/ann/.codex");
});
