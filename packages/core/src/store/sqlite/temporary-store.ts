import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "../exercise/manual-clock.ts";
import type { StoreUnderTest } from "../exercise/world.ts";
import type { Store } from "../../engine/store.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

/** A store in a folder of its own that goes away with it. For tests. */
export async function openTemporaryStore(): Promise<StoreUnderTest & { readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-store-"));
  const path = join(folder, "core.db");
  const clock = new ManualClock();
  let store: Store = openSqliteStore({ path, clock });
  return {
    path,
    clock,
    store,
    reopen: async () => {
      await store.close();
      return (store = openSqliteStore({ path, clock }));
    },
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
