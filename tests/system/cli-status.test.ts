import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { stopBridge } from "@wakeshift/bridge";
import { expect, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { statusJson, statusText } from "./cli-support/status-command.ts";
import { BUILT } from "./cli-support/cli-world.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";

test("status says when the last wake was delivered, to which conversation and from which app, also after the bridge has stopped", async () => {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core });
  expect(await statusText(bridge)).toContain("Last wake: none yet on this machine.");
  expect(await statusJson(bridge)).not.toHaveProperty("last_wake");

  await bridge.report([await subscribe(core.app)]);
  await until("the stream is live", async () => (await bridge.status()).cores[0]?.connected);
  const taking = bridge.take();
  const occurrence = await emit(core.app);
  const delivery = (await taking).wake?.delivery ?? "";
  expect(await statusJson(bridge)).not.toHaveProperty("last_wake");

  await bridge.outcome(delivery, "handed");
  const handed = {
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    program: "cursor",
    conversation: "conversation-1",
    app: { id: core.appId, name: "Crawler" },
    event: "crawl.finished",
    occurrence,
    state: "handed",
  };
  expect((await statusJson(bridge)).last_wake).toEqual(handed);
  const text = await statusText(bridge);
  expect(text).toMatch(/^Last wake: (just now|\d+ minutes? ago) \(\d{4}-/m);
  expect(text).toContain("crawl.finished from Crawler, to cursor conversation-1: handed over, not yet seen in a turn");
  expect(text).toContain(`wakeshift show ${occurrence}`);

  await bridge.outcome(delivery, "seen");
  expect(await statusText(bridge)).toContain("to cursor conversation-1: a turn of it showed it");
  await stopBridge(bridge.env);
  expect(await statusJson(bridge)).toEqual({ running: false, last_wake: { ...handed, state: "seen" } });
  expect(await statusText(bridge)).toContain("The bridge isn't running, though conversations are subscribed");
  expect(await statusText(bridge)).toContain("crawl.finished from Crawler, to cursor conversation-1");
});

test("status and set tell the settings in words and units, and in JSON as numbers", async () => {
  const bridge = await startBridgeWorld();
  const run = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [BUILT, ...args], { env: bridge.env })).stdout;
  const defaults = await statusText(bridge);
  for (const row of [/^ {2}resume +never {2}/m, /^ {2}unattended-wait +10 minutes {2}/m, /^ {2}wake-budget +60 an hour {2}/m])
    expect(defaults).toMatch(row);
  expect(await run("set", "unattended-wait", "90s")).toMatch(/^ {2}unattended-wait +1 minute 30 seconds {2}/m);
  await run("set", "resume", "unattended");
  expect(await statusText(bridge)).toMatch(/^ {2}resume +unattended {2}[^]+^ {2}unattended-wait +1 minute 30 seconds {2}/m);
  expect((await statusJson(bridge)).settings).toEqual({ resume: "unattended", "unattended-wait": 90_000, "wake-budget": 60 });
});

test("doctor names a core that is away, and that a conversation is subscribed at, once", async () => {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core });
  const doctor = async (): Promise<string> => {
    const env = { ...bridge.env, HOME: bridge.home.folder, PATH: dirname(process.execPath) };
    return (await promisify(execFile)(process.execPath, [BUILT, "doctor"], { env }).catch((error: unknown) => error as { stdout: string }))
      .stdout;
  };
  await bridge.report([await subscribe(core.app)]);
  await until("the stream is live", async () => (await bridge.status()).cores[0]?.connected);
  expect((await doctor()).match(new RegExp(`^ok .*${core.url}`, "gm"))).toHaveLength(2);
  await core.core.close();
  await until("the stream is gone", async () => !(await bridge.status()).cores[0]?.connected);
  const cut = await doctor();
  expect(cut).toContain("fix: start that core again");
  expect(cut.match(/^\S+ +(?:core:|bridge: core ).*/gm)).toHaveLength(1);
});
