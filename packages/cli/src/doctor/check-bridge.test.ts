import type { StatusAnswer } from "@wakeshift/bridge";
import { describe, expect, test } from "vitest";
import { checkBridge, missedCores } from "./check-bridge.ts";
import { QUIET_BRIDGE } from "../show/quiet-bridge.test.support.ts";

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
  checkBridge(status, { ownVersion: version, isNeeded: false, lastFault: "" })
    .filter((check) => !check.ok)
    .map((check) => check.fix);

describe("the bridge's part of doctor", () => {
  test("a bridge that doesn't run, and a quiet one, are well", () => {
    expect(cut(undefined)).toEqual([]);
    expect(cut(QUIET_BRIDGE)).toEqual([]);
  });

  test("that none runs while a conversation is subscribed is a failure, with the end of its log and the command that starts it", () => {
    const facts = { ownVersion: "1.0.0", isNeeded: true, lastFault: "the bridge failed and starts again: boom" };
    expect(checkBridge(undefined, facts)).toEqual([
      {
        program: "bridge",
        check: "process",
        ok: false,
        detail:
          "none runs, though conversations are subscribed: nothing reaches them. The end of its log: the bridge failed and starts again: boom",
        fix: "npx wakeshift bridge --start",
      },
    ]);
  });

  test("a core that was denied while something is subscribed there is a failure, and so is one whose certificate isn't known", () => {
    expect(cut({ ...QUIET_BRIDGE, cores: [{ ...core, allowed: false }] })).toEqual(["npx wakeshift allow https://wake.example"]);
    expect(cut({ ...QUIET_BRIDGE, cores: [{ ...core, detail: "self-signed certificate" }] })[0]).toContain("NODE_EXTRA_CA_CERTS");
  });

  test("a bridge of another version is to be stopped", () => {
    expect(cut(QUIET_BRIDGE, "1.1.0")).toEqual(["npx wakeshift bridge --stop"]);
  });

  test("a core that somebody is subscribed at and that is away is named, one that nobody needs is not", () => {
    expect(cut({ ...QUIET_BRIDGE, cores: [core] })).toEqual(["wait until that core is back, or: npx wakeshift deny https://wake.example"]);
    expect(cut({ ...QUIET_BRIDGE, cores: [{ ...core, local: true }] })).toEqual(["start that core again: npx wakeshift dev (or serve)"]);
    expect(cut({ ...QUIET_BRIDGE, cores: [{ ...core, subscriptions: 0 }] })).toEqual([]);
    expect(missedCores({ ...QUIET_BRIDGE, cores: [core, { ...core, connected: true }, { ...core, allowed: false }] })).toEqual([
      core.origin,
    ]);
    expect(missedCores(undefined)).toEqual([]);
  });

  test("a core that is polled since streams are held back on the way is well, and said to be polled (PC-52)", () => {
    const polled = { ...core, connected: true, way: "poll", detail: "" } as const;
    const checks = checkBridge({ ...QUIET_BRIDGE, cores: [polled] }, { ownVersion: "1.0.0", isNeeded: false, lastFault: "" });
    const detail = "polling for 1 subscription, since something on the way, often a proxy, holds streams back";
    expect(checks).toContainEqual({ program: "bridge", check: "core https://wake.example", ok: true, detail, fix: "" });
  });

  test("an address where another core answers, or nothing that can prove to be the core started here, is named, connected or not", () => {
    const held = { subscriptions: 1, because: "other_core" } as const;
    expect(cut({ ...QUIET_BRIDGE, cores: [{ ...core, held }] })).toEqual([expect.stringContaining("start the core with the database")]);
    expect(cut({ ...QUIET_BRIDGE, cores: [{ ...core, connected: true, held }] })).toHaveLength(1);
    expect(cut({ ...QUIET_BRIDGE, cores: [{ ...core, local: true, held: { ...held, because: "unproven" } }] })).toEqual([
      "start that core again: npx wakeshift dev (or serve); only if you know what answers there: npx wakeshift allow https://wake.example",
    ]);
  });

  test("a core that waits for an answer is named with the command that gives it", () => {
    const waiting = [{ origin: "https://wake.example", apps: ["Crawler"], subscriptions: 1 }];
    expect(cut({ ...QUIET_BRIDGE, waiting_for_answer: waiting })).toEqual(["npx wakeshift allow https://wake.example"]);
  });

  test("an origin is one word of the command, which a shell that it is pasted into doesn't read", () => {
    const origin = "https://a;{touch,x};b.example";
    const status = { ...QUIET_BRIDGE, cores: [{ ...core, origin }], waiting_for_answer: [{ origin, apps: [], subscriptions: 1 }] };
    expect(cut(status)).toEqual([`wait until that core is back, or: npx wakeshift deny '${origin}'`, `npx wakeshift allow '${origin}'`]);
  });
});

test("a state file that was set aside is a failure that names it, until it is gone", () => {
  const path = "/home/ada/.wakeshift/tickets.json.corrupt-00112233";
  const checks = checkBridge({ ...QUIET_BRIDGE, set_aside: [path] }, { ownVersion: QUIET_BRIDGE.version, isNeeded: false, lastFault: "" });
  expect(checks.find(({ check }) => check === "state")).toMatchObject({
    ok: false,
    detail: expect.stringContaining(path),
    fix: expect.stringContaining(`rm ${path}`),
  });
});
