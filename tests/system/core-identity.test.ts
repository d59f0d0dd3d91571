import { createHmac, randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCore } from "@wakeshift/core";
import type { RunningCore } from "@wakeshift/core";
import { coreProofText } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { startWorld, subscribe } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

async function openCore(dataDir: string): Promise<RunningCore> {
  const core = await startCore({ port: 0, dataDir, logLevel: "silent" });
  onTestFinished(() => core.close());
  return core;
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-core-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("which core this is", () => {
  test("the id made with the database is in a result's _meta, GET /app, a stream's ready and a long poll's answer", async () => {
    const world = await startWorld();
    const id = await world.core.store.coreId();
    expect(id).toMatch(/^core_[0-9a-f]{32}$/);
    const subscribed = await subscribe(world.app);
    expect(subscribed.body.addition.meta["ai.wakeshift/subscription"]).toMatchObject([{ core: world.url, coreId: id }]);
    expect((await world.app.call("GET", "/app")).body.core).toMatchObject({ id });
    const polled = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: "h", tickets: [subscribed.ticket] });
    expect(polled.body).toMatchObject({ wakes: [], core: { id } });
    const stream = await WakeStream.open(world.url, "h", [subscribed.ticket]);
    await stream.until(() => stream.of("ready").length > 0);
    stream.close();
    expect(stream.of("ready")[0].core).toEqual(polled.body.core);
  });

  test("a core restarted on its database, or on a copy of it, keeps its id; another database has another", async () => {
    const [folder, restored] = [freshFolder(), freshFolder()];
    const first = await openCore(folder);
    const id = await first.store.coreId();
    await first.close();
    expect(await (await openCore(folder)).store.coreId()).toBe(id);
    copyFileSync(join(folder, "wakeshift.db"), join(restored, "wakeshift.db"));
    expect(await (await openCore(restored)).store.coreId()).toBe(id);
    expect(await (await openCore(freshFolder())).store.coreId()).not.toBe(id);
  });

  test("a core proves itself with its secret for its own address, and for no other", async () => {
    const world = await startWorld();
    const nonce = randomBytes(32).toString("base64url");
    const hello = (address: string): Promise<{ status: number; body: any }> =>
      world.fetchJson("POST", "/api/wakes/v1/hello", { nonce, address });
    const { status, body } = await hello(world.url);
    expect(status).toBe(200);
    const text = coreProofText({ nonce, address: world.url }, await world.core.store.coreId());
    expect(body.proof).toBe(createHmac("sha256", world.core.proofSecret).update(text).digest("base64url"));
    expect(JSON.stringify(body)).not.toContain(world.core.proofSecret);
    const port = String(world.core.port);
    for (const address of ["http://127.0.0.1:4870", `http://[::1]:${port}`, `http://localhost:${port}`, "https://wake.example", ""])
      expect((await hello(address)).body).toEqual({ core: body.core });
  });

  test("a question without a nonce of its form is refused", async () => {
    const world = await startWorld();
    for (const nonce of ["", "short", "x".repeat(129), 7])
      expect((await world.fetchJson("POST", "/api/wakes/v1/hello", { nonce, address: world.url })).status).toBe(400);
  });
});
