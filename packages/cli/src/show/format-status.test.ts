import { describe, expect, test } from "vitest";
import { formatStatus } from "./format-status.ts";
import { QUIET_BRIDGE } from "./quiet-bridge.test.support.ts";

describe("the bridge's state as a person reads it", () => {
  test("a quiet bridge says that nothing is subscribed", () => {
    expect(formatStatus(QUIET_BRIDGE)).toBe(
      "Bridge 1.0.0, process 7, since 2026-01-01T00:00:00.000Z\nNo core yet: nothing on this machine is subscribed.",
    );
  });

  test("names the command for a core that waits for an answer, and where each wake stands", () => {
    const text = formatStatus({
      ...QUIET_BRIDGE,
      cores: [{ origin: "https://wake.example", allowed: false, local: false, connected: false, streams: 0, subscriptions: 1, detail: "" }],
      waiting_for_answer: [{ origin: "https://wake.example", apps: ["Crawler"], subscriptions: 1 }],
      pending: [
        {
          occurrence: "evt_1",
          subscription: "sub_1",
          program: "codex",
          conversation: "thread-1",
          since: "2026-01-01T00:00:00.000Z",
          state: "conversation_closed",
          detail: "",
        },
      ],
      unsent_acks: 2,
    });
    expect(text).toContain("wakeshift allow https://wake.example");
    expect(text).toContain("evt_1  codex thread-1  waits until the conversation is opened");
    expect(text).toContain("2 acks wait");
  });
});
