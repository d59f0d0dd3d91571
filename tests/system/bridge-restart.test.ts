import { randomInt } from "node:crypto";
import { existsSync, rmSync, statSync, truncateSync } from "node:fs";
import { startCore } from "@wakeshift/core";
import { readStatus, startBridge } from "@wakeshift/bridge";
import { describe, expect, onTestFinished, test } from "vitest";
import { AppClient } from "./core-support/core-client.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import { bridgeProcesses, isRunning, killHard } from "./bridge-support/bridge-processes.ts";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";

const connected = (bridge: BridgeWorld): Promise<unknown> =>
  until("the stream is live", async () => (await readStatus(bridge.env).catch(() => undefined))?.cores[0]?.connected);

async function otherWorker(bridge: BridgeWorld, old: number): Promise<number> {
  return until("another worker", async () => {
    const pid = (await readStatus(bridge.env).catch(() => undefined))?.pid;
    return pid !== undefined && pid !== old && pid;
  });
}

describe("a bridge that is killed comes back with everything it had", () => {
  test("the worker killed with -9 is replaced by its supervisor, and the wake emitted meanwhile arrives", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await connected(bridge);
    const { pid, supervisor } = await bridge.status();
    await killHard(pid);
    const occurrence = await emit(core.app);
    const worker = await otherWorker(bridge, pid);
    expect(await bridge.status()).toMatchObject({ pid: worker, supervisor, subscriptions: 1 });
    const { wake } = await bridge.take();
    expect(wake?.occurrences).toEqual([occurrence]);
  });

  test("a wake handed over before the kill isn't offered twice when its proof comes to the new process", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await connected(bridge);
    const first = await emit(core.app);
    const { wake } = await bridge.take();
    const { pid } = await bridge.status();
    await killHard(pid);
    await otherWorker(bridge, pid);
    expect(await bridge.outcome(wake?.delivery ?? "", "seen")).toEqual({ known: true });
    await until("the ack got through", async () => (await bridge.status()).unsent_acks === 0);
    const second = await emit(core.app);
    const taken = await bridge.take();
    expect(taken.wake?.occurrences).toEqual([second]);
    expect(first).not.toBe(second);
  });

  test("the supervisor killed with -9 is replaced by the worker, which goes on", async () => {
    const bridge = await startBridgeWorld();
    const { pid, supervisor } = await bridge.status();
    await killHard(supervisor);
    const next = await until("another supervisor", async () => {
      const status = await bridge.status();
      return status.supervisor !== supervisor && status.supervisor !== 0 && status.supervisor;
    });
    expect(isRunning(next)).toBe(true);
    expect((await bridge.status()).pid).toBe(pid);
    await killHard(pid);
    expect(await otherWorker(bridge, pid)).not.toBe(pid);
  });

  test("with both killed at once, whoever needs the bridge next starts it", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    const { pid, supervisor } = await bridge.status();
    process.kill(supervisor, "SIGKILL");
    process.kill(pid, "SIGKILL");
    await until("both to be gone", () => !isRunning(pid) && !isRunning(supervisor));
    const occurrence = await emit(core.app);
    expect((await startBridge(bridge.env)).subscriptions).toBe(1);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });

  test("a core that restarts, and a bridge killed meanwhile: the subscription goes on", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await connected(bridge);
    await core.core.close();
    const { pid } = await bridge.status();
    await until("the loss to be noticed", async () => (await bridge.status()).cores[0]?.connected === false);
    await killHard(pid);
    const again = await startCore({ port: core.core.port, dataDir: core.dataDir, logLevel: "error" });
    onTestFinished(() => again.close());
    const occurrence = await emit(new AppClient(again.url, core.app.key, core.app.keyId));
    await otherWorker(bridge, pid);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });

  test("a core that lost its data is another core: the subscription is kept until its user ends it, and the bridge goes on", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    const subscribed = await subscribe(core.app);
    await bridge.report([subscribed]);
    await connected(bridge);
    await core.core.close();
    rmSync(core.dataDir, { recursive: true, force: true });
    const again = await startCore({ port: core.core.port, dataDir: core.dataDir, logLevel: "error" });
    onTestFinished(() => again.close());
    await until("the new core to be asked", async () => (await bridge.status()).cores[0]?.held?.because === "other_core");
    await bridge.call("POST", "/v1/end", { id: subscribed.id });
    expect((await bridge.status()).subscriptions).toBe(0);
    expect(await bridge.take()).toEqual({ wake: null, live: 0, leave: true });
  });
});

describe("one bridge for each user", () => {
  test("of five starts at once one bridge is left", async () => {
    const bridge = await startBridgeWorld({ idle: true });
    const answers = await Promise.all(Array.from({ length: 5 }, () => startBridge(bridge.env)));
    expect(new Set(answers.map((answer) => answer.pid)).size).toBe(1);
    await until(
      "the surplus to leave",
      () =>
        bridgeProcesses(bridge.home.folder, "supervisor-main").length === 1 &&
        bridgeProcesses(bridge.home.folder, "worker-main").length === 1,
    );
  });

  test("of starts and kills at random one bridge is left in the end, with all that was reported to it", { timeout: 180_000 }, async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    const subscribed = await subscribe(core.app);
    await bridge.report([subscribed]);
    const home = bridge.home.folder;
    for (let round = 0; round < 12; round += 1) {
      const starts = Array.from({ length: 3 }, () => startBridge(bridge.env).catch(() => undefined));
      for (const main of ["worker-main", "supervisor-main"] as const) {
        if (randomInt(3) === 0) continue;
        for (const pid of bridgeProcesses(home, main)) process.kill(pid, "SIGKILL");
      }
      await Promise.all(starts);
    }
    const only = (main: "worker-main" | "supervisor-main"): number | undefined => {
      const pids = bridgeProcesses(home, main);
      return pids.length === 1 ? pids[0] : undefined;
    };
    await startBridge(bridge.env);
    await until("one bridge", async () => {
      const status = await readStatus(bridge.env).catch(() => undefined);
      return status !== undefined && status.pid === only("worker-main") && status.supervisor === only("supervisor-main");
    });
    const occurrence = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });

  test("state files that are cut while it runs are whole again with the next change, and after a kill", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app, { arguments: { job: "a" } })]);
    for (const file of [bridge.home.tickets, bridge.home.wakes, bridge.home.settings, bridge.home.trust]) {
      if (existsSync(file)) truncateSync(file, Math.floor(statSync(file).size / 2));
    }
    await bridge.report([await subscribe(core.app, { arguments: { job: "b" } })]);
    const { pid } = await bridge.status();
    await killHard(pid);
    await otherWorker(bridge, pid);
    expect((await bridge.status()).subscriptions).toBe(2);
    const occurrence = await emit(core.app, { arguments: { job: "a" } });
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });

  test("a socket and locks left by a killed bridge are no obstacle", async () => {
    const bridge = await startBridgeWorld();
    const { pid, supervisor } = await bridge.status();
    process.kill(supervisor, "SIGKILL");
    process.kill(pid, "SIGKILL");
    await until("both to be gone", () => !isRunning(pid) && !isRunning(supervisor));
    const answers = await Promise.all([startBridge(bridge.env), startBridge(bridge.env), startBridge(bridge.env)]);
    expect(new Set(answers.map((answer) => answer.pid)).size).toBe(1);
  });

  test("a bridge whose socket or lock is removed is back by itself, with its supervisor and all it had", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    for (const removed of [bridge.home.socket, bridge.home.workerLock]) {
      const before = await bridge.status();
      rmSync(removed);
      const pid = await otherWorker(bridge, before.pid);
      expect(await bridge.status()).toMatchObject({ pid, supervisor: before.supervisor, subscriptions: 1 });
    }
  });

  test("a bridge whose folder is removed leaves", async () => {
    const bridge = await startBridgeWorld();
    const { pid, supervisor } = await bridge.status();
    rmSync(bridge.home.folder, { recursive: true, force: true, maxRetries: 5 });
    await until("both to leave", () => !isRunning(pid) && !isRunning(supervisor));
  });
});
