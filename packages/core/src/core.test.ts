import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WakeshiftError } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { startCore } from "./core.ts";
import type { CoreOptions } from "./core-options.ts";
import { openSqliteStore } from "./store/sqlite/open-sqlite-store.ts";
import type { Store } from "./engine/store.ts";

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "wakeshift-core-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function codeOf(options: CoreOptions): Promise<unknown> {
  return startCore({ logLevel: "silent", port: 0, ...options }).then(
    (core) => core.close().then(() => "started"),
    (error: unknown) => (WakeshiftError.isInstance(error) ? error.code : error),
  );
}

describe("startCore refuses", () => {
  test.each<[string, CoreOptions, string]>([
    ["no place for its data", {}, "bad_request"],
    ["PostgreSQL, for now", { databasePath: "postgres://localhost/x" }, "unsupported"],
    ["a public URL that is none", { dataDir: "unused", publicUrl: "wake.example" }, "bad_request"],
    ["a public URL with a query", { dataDir: "unused", publicUrl: "https://wake.example/?a=1" }, "bad_request"],
    ["a public URL that no bridge would speak to", { dataDir: "unused", publicUrl: "http://wake.example" }, "bad_request"],
    ["a public URL without its scheme", { dataDir: "unused", publicUrl: "localhost:4870" }, "bad_request"],
    ["a public URL of another kind", { dataDir: "unused", publicUrl: "ftp://wake.example" }, "bad_request"],
    ["an admin token that is short", { dataDir: "unused", adminToken: "short" }, "bad_request"],
    ["pings rarer than promised", { dataDir: "unused", pingMs: 20_001 }, "bad_request"],
    ["to forget within a day", { dataDir: "unused", retentionMs: 1_000 }, "bad_request"],
  ])("%s", async (_, options, code) => {
    expect(await codeOf(options)).toBe(code);
  });

  test("a port that is taken, and lets the data go", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    onTestFinished(() => void taken.close());
    const dataDir = folder();
    const { port } = taken.address() as AddressInfo;
    await expect(startCore({ dataDir, port, logLevel: "silent" })).rejects.toThrow(/another program listens there/);
    expect(await codeOf({ dataDir })).toBe("started");
  });
});

describe("a core", () => {
  test("takes the store it is given, and closing twice is closing once", async () => {
    const store = openSqliteStore({ path: join(folder(), "x.db"), clock: { now: Date.now, monotonic: () => performance.now() } });
    const core = await startCore({ store, port: 0, logLevel: "silent" });
    expect(core.store).toBe(store);
    await Promise.all([core.close(), core.close()]);
    await expect(fetch(`${core.url}/healthz`)).rejects.toThrow();
  });

  test("whose store is full says so with 503, stays up, and goes on by itself", async () => {
    const real = openSqliteStore({ path: join(folder(), "x.db"), clock: { now: Date.now, monotonic: () => performance.now() } });
    let full = false;
    const refuse = (): Promise<never> => Promise.reject(new WakeshiftError("storage_full", "The disk is full."));
    const store = new Proxy<Store>(real, {
      get: (target, name) => {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== "function") return own;
        if (full && name === "health")
          return () => Promise.resolve({ writable: false, failure: new WakeshiftError("storage_full", "The disk is full.") });
        return full && name === "createApp" ? refuse : own.bind(target);
      },
    });
    let skipped = 0;
    const clock = { now: Date.now, monotonic: () => performance.now() + skipped };
    const adminToken = "t".repeat(20);
    const core = await startCore({ store, port: 0, logLevel: "silent", adminToken, clock });
    onTestFinished(() => core.close());
    const make = (name: string): Promise<Response> =>
      fetch(`${core.url}/api/admin/v1/apps`, {
        method: "POST",
        headers: { Authorization: `Bearer ${adminToken}` },
        body: JSON.stringify({ name }),
      });
    const ready = async (): Promise<number> => {
      skipped += 2_000;
      return (await fetch(`${core.url}/readyz`)).status;
    };
    expect([await ready(), (await make("one")).status]).toEqual([200, 201]);
    full = true;
    const refused = await make("two");
    expect([
      refused.status,
      refused.headers.get("retry-after"),
      ((await refused.json()) as { error: { code: string } }).error.code,
    ]).toEqual([503, "2", "storage_full"]);
    expect([await ready(), (await fetch(`${core.url}/healthz`)).status]).toEqual([503, 200]);
    full = false;
    expect([await ready(), (await make("two")).status]).toEqual([200, 201]);
  });

  test("whose store fails in a way nobody foresaw answers `internal`, with the id under which the log has it", async () => {
    const real = openSqliteStore({ path: join(folder(), "x.db"), clock: { now: Date.now, monotonic: () => performance.now() } });
    const store = new Proxy<Store>(real, {
      get: (target, name) => {
        const own: unknown = Reflect.get(target, name);
        if (name === "listApps") return () => Promise.reject(new Error(`boom wkt_${"a".repeat(32)}`));
        return typeof own === "function" ? own.bind(target) : own;
      },
    });
    const log: string[] = [];
    const adminToken = "t".repeat(20);
    const core = await startCore({ store, port: 0, adminToken, logDestination: { write: (line) => log.push(line) } });
    onTestFinished(() => core.close());
    const answer = await fetch(`${core.url}/api/admin/v1/apps`, { headers: { Authorization: `Bearer ${adminToken}` } });
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([500, "internal"]);
    const line = log.find((entry) => entry.includes("boom"));
    expect(line).toContain(answer.headers.get("x-request-id"));
    expect(line).not.toContain("a".repeat(32));
  });
});
