import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { startCore } from "@wakeshift/core";
import { expect, onTestFinished, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { AppClient } from "./core-support/core-client.ts";
import { CRAWL, startWorld, subscribe } from "./core-support/core-world.ts";

test(
  "PC-66 after a backup was restored, older subscriptions go on, newer ones end visibly, and nothing is shown twice or lost",
  { timeout: 120_000 },
  async () => {
    const world = await startWorld();
    const bridge = await startBridgeWorld({ core: world });
    const conversation = (name: string) => ({ conversation: name, taker: `taker-${name}` });
    const shown = async (name: string): Promise<readonly string[]> => {
      const { wake } = await bridge.take(conversation(name));
      if (wake === null) return [];
      await bridge.outcome(wake.delivery, "seen");
      return wake.occurrences;
    };
    const emit = async (app: AppClient, job: string, id: string): Promise<{ readonly matched: number; readonly duplicate: boolean }> => {
      const { status, body } = await app.post("/events/emit", { name: CRAWL.name, arguments: { job }, payload: { status: "done" }, id });
      expect(status).toBe(200);
      return body;
    };
    const a = await subscribe(world.app, { arguments: { job: "a" } });
    await bridge.report([a], { conversation: "A" });
    await emit(world.app, "a", "a-first");
    expect(await shown("A")).toEqual(["a-first"]);
    await until("the ack got through", async () => (await bridge.status()).unsent_acks === 0);

    const live = join(world.dataDir, "wakeshift.db");
    const copy = join(world.dataDir, "copy.db");
    const reader = new Database(live, { readonly: true });
    await reader.backup(copy);
    reader.close();

    const b = await subscribe(world.app, { arguments: { job: "b" } });
    await bridge.report([b], { conversation: "B" });
    for (const [job, id] of [
      ["a", "a-old"],
      ["b", "b-old"],
    ] as const)
      await emit(world.app, job, id);
    expect([await shown("A"), await shown("B")]).toEqual([["a-old"], ["b-old"]]);
    await until("the acks got through", async () => (await bridge.status()).unsent_acks === 0);

    // The page's steps.
    await world.core.close();
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${live}${ending}`, { force: true });
    copyFileSync(copy, live);
    const again = await startCore({ port: world.core.port, dataDir: world.dataDir, logLevel: "error" });
    onTestFinished(() => again.close());
    const app = new AppClient(again.url, world.app.key, world.app.keyId);

    // B's ticket is unknown to what was restored.
    await until("B's end to be noticed", async () => (await bridge.status()).subscriptions === 1);
    expect(await bridge.take(conversation("B"))).toMatchObject({ live: 0, leave: true });
    expect(readFileSync(bridge.home.log, "utf8")).toMatch(new RegExp(`"${b.id}","reason":"unknown".*a subscription ended`));
    // The author's server repeats what it isn't sure of; the sequence numbers of before are given out anew.
    expect(await emit(app, "a", "a-old")).toMatchObject({ matched: 1, duplicate: false });
    expect(await emit(app, "a", "a-new")).toMatchObject({ matched: 1 });
    expect(await shown("A")).toEqual(["a-new"]);
    await until("both are acked", async () => (await bridge.status()).unsent_acks === 0);

    const anew = await subscribe(app, { arguments: { job: "b" } });
    await bridge.report([anew], { conversation: "B" });
    await emit(app, "b", "b-new");
    expect(await shown("B")).toEqual(["b-new"]);
    await emit(app, "a", "a-last");
    expect(await shown("A")).toEqual(["a-last"]);
  },
);
