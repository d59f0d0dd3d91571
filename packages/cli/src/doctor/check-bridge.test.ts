import type { StatusAnswer } from "@wakeshift/bridge";
import { describe, expect, test } from "vitest";
import { checkBridge } from "./check-bridge.ts";

const RUNNING: StatusAnswer = {
  pid: 7,
  supervisor: 6,
  version: "1.0.0",
  since: "2026-01-01T00:00:00.000Z",
  cores: [],
  subscriptions: 0,
  waiting_for_answer: [],
  pending: [],
  unsent_acks: 0,
  settings: { resume: "never", "unattended-wait": 600_000, "wake-budget": 60 },
};
const core = {
  origin: "https://wake.example",
  allowed: true,
  local: false,
  connected: false,
  streams: 0,
  subscriptions: 1,
  detail: "refused",
};
const cut = (status: StatusAnswer | undefined, version = "1.0.0"): readonly string[] =>
  checkBridge(status, version)
    .filter((check) => !check.ok)
    .map((check) => check.mend);

describe("the bridge's part of doctor", () => {
  test("a bridge that doesn't run, and a quiet one, are well", () => {
    expect(cut(undefined)).toEqual([]);
    expect(cut(RUNNING)).toEqual([]);
  });

  test("a bridge of another version is to be stopped", () => {
    expect(cut(RUNNING, "1.1.0")).toEqual(["npx wakeshift bridge --stop"]);
  });

  test("a core that somebody is subscribed at and that is away is named, one that nobody needs is not", () => {
    expect(cut({ ...RUNNING, cores: [core] })).toEqual(["wait until that core is back, or: npx wakeshift deny https://wake.example"]);
    expect(cut({ ...RUNNING, cores: [{ ...core, local: true }] })).toEqual(["start that core again: npx wakeshift dev (or serve)"]);
    expect(cut({ ...RUNNING, cores: [{ ...core, subscriptions: 0 }] })).toEqual([]);
  });

  test("a core that waits for an answer is named with the command that gives it", () => {
    const waiting = [{ origin: "https://wake.example", apps: ["Crawler"], subscriptions: 1 }];
    expect(cut({ ...RUNNING, waiting_for_answer: waiting })).toEqual(["npx wakeshift allow https://wake.example"]);
  });
});
