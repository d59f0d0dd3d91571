import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, it } from "vitest";
import { readHook } from "./hook.ts";

const session = "ses_dd64b35ffeH0VNw";
const meta = { [SUBSCRIPTION_META_KEY]: [{ tool: "start_crawl" }] };

function toolEnded(changes: object = {}): object {
  return {
    input: { tool: "crawler_start_crawl", sessionID: session, callID: "call_2" },
    output: { _meta: meta },
    pid: 77,
    unattended: false,
    ...changes,
  };
}

describe("what the opencode plugin tells", () => {
  it("hands a tool result's _meta on as it was, under the tool's bare name, and listens for the conversation", () => {
    const plan = readHook("tool.execute.after", toolEnded());
    expect(plan.report).toEqual({
      conversation: session,
      lifecycle: "working",
      pid: 77,
      unattended: false,
      results: [{ tool: "start_crawl", meta }],
    });
    expect(plan.wait).toMatchObject({ conversation: session, unattended: false, pid: 77, untilSubscribed: true });
  });

  it.each([
    ["opened", {}, "opened"],
    ["chat.message", {}, "working"],
    ["session.status", { status: "busy" }, "working"],
    ["session.status", { status: "retry" }, "working"],
    ["session.status", { status: "idle" }, "idle"],
  ])("reports and listens for a conversation that shows activity: %s %j is %s", (event, more, lifecycle) => {
    const plan = readHook(event, { sessionID: session, pid: 77, ...more });
    expect(plan.report).toEqual({ conversation: session, lifecycle, pid: 77, unattended: false, results: [] });
    expect(plan.wait?.conversation).toBe(session);
  });

  it("reports a deleted conversation as closed, and listens no more", () => {
    const plan = readHook("session.deleted", { sessionID: session });
    expect(plan).toEqual({ report: { conversation: session, lifecycle: "closed", unattended: false, results: [] } });
  });

  it("reports which occurrences a turn had in its input", () => {
    const plan = readHook("seen", { sessionID: session, occurrences: ["evt_1", "order:7"], pid: 77 });
    expect(plan).toEqual({ report: { conversation: session, pid: 77, unattended: false, results: [], seen: ["evt_1", "order:7"] } });
  });

  it("tells a run that nobody sits at", () => {
    expect(readHook("opened", { sessionID: session, unattended: true }).report?.unattended).toBe(true);
    expect(readHook("tool.execute.after", toolEnded({ unattended: true })).wait?.unattended).toBe(true);
  });

  it.each([
    ["opened", undefined],
    ["opened", { sessionID: "../../etc/passwd" }],
    ["opened", { sessionID: session, pid: -1 }],
    ["session.status", { sessionID: session }],
    ["seen", { sessionID: session, occurrences: ["a b"] }],
    ["tool.execute.after", { input: { tool: "x" }, output: {} }],
    ["tool.execute.after", "text"],
    ["stop", { sessionID: session }],
    ["", null],
  ])("makes nothing of %s %j", (event, input) => {
    expect(readHook(event, input)).toEqual({});
  });
});
