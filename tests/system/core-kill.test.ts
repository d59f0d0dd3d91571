import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { AppClient } from "./core-support/core-client.ts";
import { startCoreProcess } from "./core-support/core-process.ts";
import type { CoreProcess } from "./core-support/core-process.ts";
import { ADMIN_TOKEN, CRAWL, SDK, subscribe } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

const HOLDER = "holder-of-this-test";
const KILLS = 10;
const EMITTERS = 12;

test(
  "ten times killed with -9 under load: everything answered 2xx is delivered, nothing acked comes again, nothing comes that was never sent",
  { timeout: 240_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "wakeshift-kill-"));
    const database = join(dir, "wakeshift.db");
    let core: CoreProcess = await startCoreProcess(database);
    onTestFinished(async () => {
      await core.kill("SIGKILL");
      rmSync(dir, { recursive: true, force: true });
    });
    const made = (await (
      await fetch(`${core.url}/api/admin/v1/apps`, {
        method: "POST",
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
        body: JSON.stringify({ name: "Crawler" }),
      })
    ).json()) as any;
    const clientOf = (): AppClient => new AppClient(core.url, made.key.key, made.key.key_id);
    await clientOf().call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
    const { ticket } = await subscribe(clientOf());

    const sent = new Set<string>();
    const answered = new Set<string>();
    const acked = new Set<string>();
    const offeredAfterAck: string[] = [];
    const delivered = new Set<string>();
    let number = 0;

    for (let kill = 0; kill < KILLS; kill += 1) {
      const app = clientOf();
      let alive = true;
      const emitting = Array.from({ length: EMITTERS }, async () => {
        while (alive) {
          const id = `e-${(number += 1)}`;
          sent.add(id);
          const answer = await app
            .post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done", note: id }, id })
            .catch(() => undefined);
          if (answer === undefined) return;
          expect([answer.status, answer.body]).toMatchObject([200, { id, matched: 1 }]);
          answered.add(id);
        }
      });
      const taking = take(core.url, () => alive);
      const before = answered.size;
      await vi.waitFor(() => expect(answered.size).toBeGreaterThan(before), 30_000);
      await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 500));
      await core.kill("SIGKILL");
      alive = false;
      await Promise.all([...emitting, taking]);
      core = await startCoreProcess(database);
    }

    await take(core.url, () => [...answered].some((id) => !delivered.has(id)));
    expect(answered.size).toBeGreaterThan(KILLS);
    expect([...answered].filter((id) => !delivered.has(id))).toEqual([]);
    expect([...delivered].filter((id) => !sent.has(id))).toEqual([]);
    expect(offeredAfterAck).toEqual([]);
    // A second try of what was answered says so; one of what was lost counts as the first.
    const [again] = answered;
    expect(
      (await clientOf().post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" }, id: again })).body
        .duplicate,
    ).toBe(true);

    /** Takes and acks wakes while a condition holds and the core lives. */
    async function take(url: string, goOn: () => boolean): Promise<void> {
      const stream = await WakeStream.open(url, HOLDER, [ticket]).catch(() => undefined);
      if (stream === undefined) return;
      let over = false;
      void stream.ended.then(() => (over = true));
      let next = 0;
      while (goOn() && !over) {
        await stream.until(() => stream.of("wake").length > next || over || !goOn(), 100).catch(() => undefined);
        const fresh = stream.of("wake").slice(next, next + 50);
        next += fresh.length;
        for (const { occurrence, payload } of fresh) {
          expect(payload.note).toBe(occurrence);
          delivered.add(occurrence);
          if (acked.has(occurrence)) offeredAfterAck.push(occurrence);
        }
        if (fresh.length === 0) continue;
        const acks = fresh.map(({ occurrence }) => ({ ticket, occurrence, state: "handed" }));
        const answer = await fetch(`${url}/api/wakes/v1/ack`, { method: "POST", body: JSON.stringify({ holder: HOLDER, acks }) })
          .then((response) => response.json() as any)
          .catch(() => undefined);
        for (const { occurrence, result } of answer?.acks ?? []) if (result === "ok") acked.add(occurrence);
      }
      stream.close();
    }
  },
);

test("a second core on the same data doesn't start, and says why", async () => {
  const dir = mkdtempSync(join(tmpdir(), "wakeshift-kill-"));
  const core = await startCoreProcess(join(dir, "wakeshift.db"));
  onTestFinished(async () => {
    await core.kill("SIGTERM");
    rmSync(dir, { recursive: true, force: true });
  });
  await expect(startCoreProcess(join(dir, "wakeshift.db"))).rejects.toThrow(/Another Wakeshift core/);
});

test("a PostgreSQL URL is refused as not supported yet", async () => {
  await expect(startCoreProcess("postgres://localhost/wakeshift")).rejects.toThrow(/PostgreSQL/);
});
