import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { removeMadeFolders } from "./remove-made-folders.ts";

function place(): { readonly home: string; readonly top: string; readonly folder: string; readonly path: string } {
  const home = mkdtempSync(join(tmpdir(), "wakeshift-folders-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const top = join(home, "a");
  const folder = join(top, "b", "c");
  mkdirSync(folder, { recursive: true });
  return { home, top, folder, path: join(folder, "settings.json") };
}
const change = (path: string, madeFolder?: string): Parameters<typeof removeMadeFolders>[0][number] => ({
  path,
  before: undefined,
  after: "{}",
  ...(madeFolder === undefined ? {} : { madeFolder }),
});

describe("folders after a removal", () => {
  test("what set-up made and is empty goes, up to the topmost it made", () => {
    const { home, top, folder, path } = place();
    expect(removeMadeFolders([change(path, top)])).toEqual([folder, join(top, "b"), top]);
    expect(existsSync(home)).toBe(true);
  });

  test("a folder that somebody put something into stays, with those above it", () => {
    const { top, folder, path } = place();
    writeFileSync(join(top, "b", "theirs"), "");
    expect(removeMadeFolders([change(path, top)])).toEqual([folder]);
    expect(existsSync(join(top, "b"))).toBe(true);
  });

  test("an empty folder that was there before stays", () => {
    const { folder, path, top } = place();
    expect(removeMadeFolders([change(path), change(path, join(folder, "deeper")), change(join(top, "x"), join(top, "b"))])).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });
});
