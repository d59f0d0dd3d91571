import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp, createKey } from "./provision.ts";
import { openSqliteStore } from "./store/sqlite/open-sqlite-store.ts";

test("no key's id begins with a dash, so that a command never takes it for an option", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-provision-"));
  const store = openSqliteStore({ path: join(folder, "wakeshift.db"), clock: { now: () => 0, monotonic: () => 0 } });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const parts = { store, now: () => 0, randomBytes: (length: number) => randomBytes(length) };
  const { app } = await createApp(parts, "Crawler");
  const ids: string[] = [];
  for (let count = 0; count < 400; count += 1) ids.push((await createKey(parts, app.id)).keyId);
  // About one in 64 would.
  expect(ids.filter((id) => id.startsWith("-"))).toEqual([]);
});
