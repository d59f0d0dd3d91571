import type { StatusAnswer } from "@wakeshift/bridge";
import { expect, test } from "vitest";
import { QUIET_BRIDGE } from "../show/quiet-bridge.test.support.ts";
import { checkConversations } from "./check-conversations.ts";

const conversation = { program: "codex", conversation: "thread-1", subscriptions: 1, open: false } as const;
const wake = (state: StatusAnswer["pending"][number]["state"]): StatusAnswer["pending"][number] => ({
  occurrence: "evt_1",
  subscription: "sub_1",
  program: "codex",
  conversation: "thread-1",
  since: "2026-01-01T00:00:00.000Z",
  state,
  detail: "codex queue confirmed nothing",
});

test("a subscribed conversation that is closed is named with the command that opens it, and is no failure before a wake waits", () => {
  expect(checkConversations({ ...QUIET_BRIDGE, conversations: [conversation] })).toMatchObject([
    { check: "conversation thread-1", ok: true, fix: "codex resume thread-1" },
  ]);
  expect(checkConversations({ ...QUIET_BRIDGE, conversations: [{ ...conversation, open: true }] })).toEqual([]);
});

test.each([
  ["conversation_closed", "waits until conversation thread-1 is open", "codex resume thread-1"],
  ["over_budget", "held back: conversation thread-1 had its 60 wakes of this hour", "npx wakeshift set wake-budget 120"],
  ["failed", "codex queue confirmed nothing", "npx wakeshift status"],
  ["no_taker", "no hook or plugin of conversation thread-1 does", "codex resume thread-1"],
] as const)("a wake that is %s is a failure that says why, with what brings it on its way", (state, detail, fix) => {
  const checks = checkConversations({ ...QUIET_BRIDGE, conversations: [conversation], pending: [wake(state)] });
  expect(checks).toMatchObject([{ program: "codex", check: "wake evt_1", ok: false }]);
  expect(checks[0]?.detail).toContain(detail);
  expect(checks[0]?.fix).toContain(fix);
});

test.each(["queued", "leased"] as const)("a wake that is %s is on its way, and no failure", (state) => {
  expect(checkConversations({ ...QUIET_BRIDGE, conversations: [conversation], pending: [wake(state)] })).toEqual([]);
});

test("PC-57 a subscription that was refused for its tool's name is a failure, with both names and what to do", () => {
  const tool = { program: "codex", called: "mcp__gateway__call_tool", named: "watch_crawl", at: "2026-01-01T00:00:00.000Z" } as const;
  expect(checkConversations({ ...QUIET_BRIDGE, refused_tools: [tool] })).toEqual([
    {
      program: "codex",
      check: "tool name",
      ok: false,
      detail: "a subscription of tool watch_crawl was refused: codex got it from a tool called mcp__gateway__call_tool",
      fix: "have whatever is between keep the tool's name, behind a prefix that ends in _, -, ., / or :",
    },
  ]);
});

test("without a bridge nothing is said here, and an older bridge's answer is read", () => {
  expect(checkConversations(undefined)).toEqual([]);
  expect(checkConversations(QUIET_BRIDGE)).toEqual([]);
});

test("wakes of one conversation that are held back alike are one failure", () => {
  const pending = Array.from({ length: 700 }, (_, n) => ({ ...wake("over_budget"), occurrence: `evt_${n}` }));
  const other = { ...wake("over_budget"), conversation: "thread-2" };
  const checks = checkConversations({ ...QUIET_BRIDGE, conversations: [conversation], pending: [...pending, other] });
  expect(checks.map(({ check, ok }) => [check, ok])).toEqual([
    ["wake evt_0", false],
    ["wake evt_1", false],
  ]);
});
