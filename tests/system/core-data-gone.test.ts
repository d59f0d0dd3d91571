import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteApps, startCore } from "@wakeshift/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { FREE, startWorld } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";

const DATABASE = "wakeshift.db";
const FILES = ["", "-wal", "-shm"].map((ending) => `${DATABASE}${ending}`);

interface Emitted {
  readonly status: number;
  readonly code: string | undefined;
  readonly duplicate: boolean | undefined;
}

const emit = async (world: CoreWorld, id: string): Promise<Emitted> => {
  const { status, body } = await world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload: {}, id });
  return { status, code: body.error?.code, duplicate: body.duplicate };
};

const ready = async (world: CoreWorld): Promise<readonly [number, string | undefined]> => {
  const { status, body } = await world.fetchJson("GET", "/readyz");
  return [status, body.error?.code];
};

/** Moves a core's data away and, with what this returns, back. */
function moveAway(from: string, away: string): () => void {
  renameSync(from, away);
  return () => {
    rmSync(from, { recursive: true, force: true });
    renameSync(away, from);
  };
}

type Cut = (dataDir: string) => () => void;

const CUTS: readonly (readonly [what: string, cut: Cut])[] = [
  ["its data folder is moved away", (dir) => moveAway(dir, `${dir}.away`)],
  ["its database is moved away", (dir) => moveAway(join(dir, DATABASE), join(dir, "away"))],
  ["its write-ahead log is moved away", (dir) => moveAway(join(dir, `${DATABASE}-wal`), join(dir, "away"))],
  ["its shared index is moved away", (dir) => moveAway(join(dir, `${DATABASE}-shm`), join(dir, "away"))],
  [
    "a copy takes the place of its data folder",
    (dir) => {
      const back = moveAway(dir, `${dir}.away`);
      cpSync(`${dir}.away`, dir, { recursive: true });
      return back;
    },
  ],
  [
    "another database takes the place of its own",
    (dir) => {
      const back = moveAway(dir, `${dir}.away`);
      mkdirSync(dir);
      writeFileSync(join(dir, DATABASE), "");
      void openSqliteApps(join(dir, DATABASE)).close();
      return back;
    },
  ],
];

describe("a core under which its data goes away", () => {
  test.each(CUTS)("takes no emit while %s, isn't ready, says so in its log, and goes on once it is back", async (_what, cut) => {
    const world = await startWorld();
    expect(await emit(world, "before")).toMatchObject({ status: 200 });
    const back = cut(world.dataDir);
    expect(await emit(world, "gone")).toMatchObject({ status: 503, code: "storage_gone" });
    expect(await ready(world)).toEqual([503, "storage_gone"]);
    const said = world.log.filter((line) => line.includes('"level":"error"'));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`${world.dataDir}/`);
    expect(said[0]).toMatch(/restart the core/);
    back();
    expect(await emit(world, "after")).toMatchObject({ status: 200 });
    await expect.poll(() => ready(world), { timeout: 15_000 }).toEqual([200, undefined]);
    expect(world.log.some((line) => line.includes("the storage takes writes again"))).toBe(true);
    await world.core.close();
    const again = await startCore({ dataDir: world.dataDir, port: world.core.port, logLevel: "silent" });
    onTestFinished(() => again.close());
    // A connection to the core that closed may still be taken for the first request.
    await expect.poll(() => ready(world).catch(() => undefined), { timeout: 15_000 }).toEqual([200, undefined]);
    for (const id of ["before", "after"]) expect((await emit(world, id)).duplicate).toBe(true);
    expect((await emit(world, "gone")).duplicate).toBe(false);
  });

  test("answers no emit with success whose occurrence a restart doesn't find, while its files are deleted under load", async () => {
    const world = await startWorld();
    const taken: string[] = [];
    let deleted = false;
    let sent = 0;
    const load = Array.from({ length: 8 }, async () => {
      for (let refused = 0; refused < 3;) {
        const id = `e${String((sent += 1))}`;
        const late = deleted;
        const { status } = await emit(world, id);
        if (status !== 200) refused += 1;
        // Sent once nothing was there any more: it must not have been taken.
        else if (late) taken.push(id);
        if (sent > 60 && !deleted) {
          for (const file of FILES) rmSync(join(world.dataDir, file));
          deleted = true;
        }
      }
    });
    await Promise.all(load);
    expect(taken).toEqual([]);
    expect(existsSync(join(world.dataDir, DATABASE))).toBe(false);
    expect((await world.fetchJson("GET", "/healthz")).status).toBe(200);
  });
});
