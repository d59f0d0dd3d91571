import { describe, expect, test } from "vitest";
import type { HookReport } from "@wakeshift/programs";
import { isConversationOpen, withReport } from "./conversations.ts";

const report = (changes: Partial<HookReport> = {}): HookReport => ({ conversation: "c", unattended: false, results: [], ...changes });
const tag = (pid: number): string => `tag-${pid}`;

describe("a conversation's state", () => {
  test("keeps pid and facts of earlier reports, and adds to the facts", () => {
    const first = withReport(undefined, "codex", report({ pid: 7, lifecycle: "working", facts: { a: "1", b: "1" } }), tag);
    const second = withReport(first, "codex", report({ lifecycle: "idle", facts: { b: "2" } }), tag);
    expect(second).toEqual({
      program: "codex",
      conversation: "c",
      unattended: false,
      lifecycle: "idle",
      pid: 7,
      pidTag: "tag-7",
      facts: { a: "1", b: "2" },
    });
  });

  test("a report without a lifecycle changes none", () => {
    const first = withReport(undefined, "codex", report({ lifecycle: "idle" }), tag);
    expect(withReport(first, "codex", report(), tag).lifecycle).toBe("idle");
  });

  test("opened without a pid forgets the process that ended", () => {
    const first = withReport(undefined, "codex", report({ pid: 7 }), tag);
    expect(withReport(first, "codex", report({ lifecycle: "opened" }), tag)).not.toHaveProperty("pid");
  });

  test("bounds what facts a report may leave", () => {
    const facts = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`f${place}`, "x".repeat(140_000)]));
    const kept = withReport(undefined, "codex", report({ facts }), tag).facts;
    expect(Object.keys(kept)).toHaveLength(32);
    expect(kept["f0"]).toHaveLength(131_072);
  });

  test("is open while its process runs and it wasn't reported closed", () => {
    const open = withReport(undefined, "codex", report({ pid: process.pid, lifecycle: "idle" }), () => undefined);
    expect(isConversationOpen(open)).toBe(true);
    expect(isConversationOpen({ ...open, lifecycle: "closed" })).toBe(false);
    expect(isConversationOpen({ ...open, pid: 4_194_303 })).toBe(false);
  });

  test.runIf(process.platform === "linux")("isn't open when another process has its process's id", () => {
    const open = withReport(undefined, "codex", report({ pid: process.pid, lifecycle: "idle" }), () => "another-boot:1");
    expect(isConversationOpen(open)).toBe(false);
  });
});
