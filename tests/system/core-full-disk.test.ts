import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CRAWL, FREE, startWorld, subscribe } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

const HOLDER = "holder-of-this-test";

/** A file system of a few megabytes, `undefined` where this user may mount none. */
function smallDisk(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return folder;
}

test(
  "on a full disk emits answer storage_full, /readyz 503, streams stay open, and all goes on once there is room",
  { timeout: 120_000 },
  async ({ skip }) => {
    const folder = smallDisk();
    if (folder === undefined) return skip("this user may mount no file system");
    // Runs after the core of the world has let go of it.
    onTestFinished(() => {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true });
    });
    let skipped = 0;
    const clock = { now: Date.now, monotonic: () => performance.now() + skipped };
    const world = await startWorld({ databasePath: join(folder, "core.db"), clock });
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    const stream = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    const ready = async (): Promise<number> => (await fetch(`${world.url}/readyz`)).status;
    expect(await ready()).toBe(200);

    const filler = join(folder, "filler");
    expect(() => writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024))).toThrow(/ENOSPC/);
    const payload = { blob: "x".repeat(250_000) };
    const post = (): ReturnType<typeof world.app.post> => world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload });
    const answered: string[] = [];
    let refused = await post();
    // What the database's own files still have room for is taken.
    for (let count = 0; refused.status === 200 && count < 200; count += 1) {
      answered.push(refused.body.id as string);
      refused = await post();
    }
    expect([refused.status, refused.body.error?.code]).toEqual([503, "storage_full"]);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    // Room for small writes, ten of them at least, and not for such an emit.
    truncateSync(filler, statSync(filler).size - 100_000);
    for (let probe = 0; probe < 10; probe += 1) {
      expect(await ready()).toBe(503);
      skipped += 2_000;
      expect((await post()).status).toBe(503);
    }
    expect(await ready()).toBe(503);
    expect((await fetch(`${world.url}/healthz`)).status).toBe(200);

    rmSync(filler);
    await expect.poll(ready, { timeout: 45_000 }).toBe(200);
    const after = await world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload: { small: true } });
    expect(after).toMatchObject({ status: 200, body: { matched: 1 } });
    answered.push(after.body.id as string);
    const seen = new Set<string>();
    while (seen.size < answered.length) {
      await stream.until(() => stream.of("wake").some((wake) => !seen.has(wake.occurrence)));
      for (const wake of stream.of("wake")) {
        if (seen.has(wake.occurrence)) continue;
        seen.add(wake.occurrence);
        const acks = [{ ticket, occurrence: wake.occurrence, state: "handed" }];
        expect((await world.fetchJson("POST", "/api/wakes/v1/ack", { holder: HOLDER, acks })).status).toBe(200);
      }
    }
    expect([...seen].sort()).toEqual([...answered].sort());
    stream.close();
    expect((await world.app.post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" } })).status).toBe(
      200,
    );
  },
);
