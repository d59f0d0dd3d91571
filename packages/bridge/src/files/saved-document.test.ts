import { mkdirSync, readFileSync, readdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "./files.test.support.ts";
import { readJsonFile } from "./json-file.ts";
import { SavedDocument } from "./saved-document.ts";

function setup(): {
  path: string;
  folder: string;
  value: { count: number };
  document: SavedDocument;
  writes: () => number;
  failures: unknown[];
} {
  const folder = temporaryFolder();
  const path = join(folder, "state.json");
  const value = { count: 0 };
  const failures: unknown[] = [];
  let writes = 0;
  const snapshot = (): unknown => {
    writes += 1;
    return { ...value };
  };
  const document = new SavedDocument({ path, snapshot, onFailure: (error) => failures.push(error), retryMs: 50 });
  return { path, folder, value, document, writes: () => writes, failures };
}

describe("a saved document", () => {
  test("is on disk when the save resolves, whole, with mode 0600, and leaves no other file", async () => {
    const { path, folder, value, document } = setup();
    value.count = 7;
    expect(await document.save()).toBe(true);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ count: 7 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["state.json"]);
  });

  test("takes a burst of changes in two writes, and each save sees its own change", async () => {
    const { path, value, document, writes } = setup();
    const saves = Array.from({ length: 50 }, async (_, count) => {
      value.count = count + 1;
      await document.save();
      return (JSON.parse(readFileSync(path, "utf8")) as { count: number }).count - count;
    });
    expect((await Promise.all(saves)).every((ahead) => ahead >= 1)).toBe(true);
    expect(writes()).toBeLessThanOrEqual(2);
  });

  test("goes on by itself after a write failed", async () => {
    const { path, value, document, failures } = setup();
    mkdirSync(path);
    value.count = 1;
    expect(await document.save()).toBe(false);
    expect(failures).toHaveLength(1);
    rmdirSync(path);
    await vi.waitFor(() => expect(readJsonFile(path)).toEqual({ kind: "value", value: { count: 1 } }), 45_000);
  });
});

describe("a state file", () => {
  test("that isn't there is absent; one that is no JSON is kept aside with its bytes", () => {
    const path = join(temporaryFolder(), "state.json");
    expect(readJsonFile(path)).toEqual({ kind: "absent" });
    writeFileSync(path, '{"v":');
    const read = readJsonFile(path);
    expect(read.kind).toBe("corrupt");
    expect(readFileSync(read.kind === "corrupt" ? read.keptAs : "", "utf8")).toBe('{"v":');
    expect(readJsonFile(path)).toEqual({ kind: "absent" });
  });
});
