import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatSecret } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { startCore } from "../../core.ts";
import { sha256Hex } from "../../engine/hash.ts";
import { ManualClock } from "../../store/exercise/manual-clock.ts";
import { World } from "../../store/exercise/world.ts";
import { openSqliteStore } from "../../store/sqlite/open-sqlite-store.ts";
import type { Store } from "../../engine/store.ts";

test("a long poll whose client leaves before its answer gives back what it was handed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-next-"));
  // It stands still: no lease runs out by itself.
  const clock = new ManualClock();
  const store = openSqliteStore({ path: join(folder, "core.db"), clock });
  const world = await World.open(() =>
    Promise.resolve({ store, clock, reopen: () => Promise.reject(new Error("not here")), close: () => store.close() }),
  );
  let claimed: () => void = () => undefined;
  const isClaimed = new Promise<void>((resolve) => (claimed = resolve));
  let goOn: () => void = () => undefined;
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  const slow = new Proxy(store, {
    get: (target, name) => {
      if (name !== "claim") return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (...asked: Parameters<Store["claim"]>) => {
        const found = await target.claim(...asked);
        claimed();
        await mayGoOn;
        return found;
      };
    },
  });
  const core = await startCore({ port: 0, store: slow, clock, logLevel: "silent" });
  onTestFinished(async () => {
    await core.close();
    rmSync(folder, { recursive: true });
  });
  const ticket = formatSecret("ticket", new Uint8Array(32).fill(7));
  await world.subscribe({ ticketHash: sha256Hex(ticket) });
  await world.emit("e1");
  const body = JSON.stringify({ holder: "a-bridge", tickets: [ticket], wait_ms: 0 });
  const asking = request(`${core.url}/api/wakes/v1/next`, { method: "POST" }).on("error", () => undefined);
  asking.end(body);
  await isClaimed;
  const left = new Promise((resolve) => asking.once("close", resolve));
  asking.destroy();
  await left;
  // What is asked after it left is answered after the core has noticed.
  for (let round = 0; round < 3; round += 1) await (await fetch(`${core.url}/healthz`)).text();
  goOn();
  const wakes = async (): Promise<readonly string[]> => {
    const answer = await fetch(`${core.url}/api/wakes/v1/next`, { method: "POST", body });
    return ((await answer.json()) as { wakes: { occurrence: string }[] }).wakes.map(({ occurrence }) => occurrence);
  };
  await expect.poll(wakes, { timeout: 20_000 }).toEqual(["e1"]);
});
