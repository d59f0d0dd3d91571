import { describe, expect, test } from "vitest";
import { describeAbsence, formatStatus } from "./format-status.ts";
import { QUIET_BRIDGE } from "./quiet-bridge.test.support.ts";

const NOW = Date.parse("2026-01-04T00:00:00.000Z");

const HOOKS = { isSetUp: true, hasLauncher: true };

const LAST_WAKE = {
  at: "2026-01-04T00:00:00.000Z",
  program: "codex",
  conversation: "thread-1",
  app: { id: "app_1", name: "Crawler" },
  event: "crawl.finished",
  occurrence: "evt_1",
  state: "seen",
} as const;

describe("the bridge's state as a person reads it", () => {
  test.each([
    ["if no program was set up", { isSetUp: false, hasLauncher: false }, /No agent program was connected with `npx wakeshift setup`/],
    ["if the launcher is gone", { isSetUp: true, hasLauncher: false }, /The launcher that hooks call is gone, .*`npx wakeshift setup`/],
  ])("a quiet bridge names why nothing may be reported, %s", (_when, hooks, cause) => {
    expect(formatStatus(QUIET_BRIDGE, NOW, hooks)).toMatch(cause);
    expect(describeAbsence(false, hooks)).toMatch(cause);
  });

  test("a quiet bridge says that nothing is subscribed", () => {
    expect(formatStatus(QUIET_BRIDGE, NOW, HOOKS)).toBe(
      [
        "Bridge 1.0.0, process 7, since 2026-01-01T00:00:00.000Z",
        "No core yet: nothing on this machine is subscribed. If a conversation has subscribed, `npx wakeshift doctor`, run in the folder where its program runs, says why it isn't here.",
        "Last wake: none yet on this machine.",
        "Settings (`npx wakeshift set` changes one):",
        "  resume           never       the wakes of a closed conversation wait until it is opened",
        "  unattended-wait  10 minutes  an unattended run that subscribed is held so long for its event",
        "  wake-budget      60 an hour  wakes of one conversation; those above are held and come together",
      ].join("\n"),
    );
  });

  test("names the command for a core that waits for an answer, and where each wake stands", () => {
    const text = formatStatus(
      {
        ...QUIET_BRIDGE,
        cores: [
          { origin: "https://wake.example", allowed: false, local: false, connected: false, streams: 0, subscriptions: 1, detail: "" },
        ],
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
      },
      NOW,
      HOOKS,
    );
    expect(text).toContain("npx wakeshift allow https://wake.example");
    expect(text).toContain("evt_1  codex thread-1  waits until the conversation is opened");
    expect(text).toContain("2 acks wait");
  });

  test("a command that it shows holds an origin or an id as one word, which a shell that it is pasted into doesn't read", () => {
    const origin = "https://a;{touch,x};b.example";
    const last = { ...LAST_WAKE, occurrence: "--yes;x" };
    const text = formatStatus(
      { ...QUIET_BRIDGE, waiting_for_answer: [{ origin, apps: ["app_1"], subscriptions: 1 }], last_wake: last },
      NOW,
      HOOKS,
    );
    expect(text).toContain(
      "\n  npx wakeshift allow 'https://a;{touch,x};b.example'   or   npx wakeshift deny 'https://a;{touch,x};b.example'\n",
    );
    expect(text).toContain("\n  npx wakeshift show -- '--yes;x'   shows it whole\n");
  });

  test.each([
    ["2026-01-04T00:00:05.000Z", "just now"],
    ["2026-01-03T23:59:00.000Z", "1 minute ago"],
    ["2026-01-03T21:30:00.000Z", "2 hours ago"],
    ["2026-01-01T00:00:00.000Z", "3 days ago"],
  ])("a last wake at %s is told as %s, and nobody's words steer the terminal", (at, ago) => {
    const app = { id: "app_1", name: "Crawler\nforged\u001b[31m" };
    const last = { ...LAST_WAKE, at, app };
    expect(
      formatStatus({ ...QUIET_BRIDGE, last_wake: last }, NOW, HOOKS)
        .split("\n")
        .slice(2, 5),
    ).toEqual([
      `Last wake: ${ago} (${at})`,
      "  crawl.finished from Crawler forged, to codex thread-1: a turn of it showed it",
      "  npx wakeshift show evt_1   shows it whole",
    ]);
  });
});
