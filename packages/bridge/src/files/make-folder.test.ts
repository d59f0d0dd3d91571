import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

function place(): string {
  const made = mkdtempSync(join(tmpdir(), "wakeshift-make-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test("makes a folder and those on the way to it for this user alone, and leaves what is there", () => {
  const path = join(place(), "a", "b");
  makeFolder(path);
  makeFolder(path);
  for (const each of [path, join(path, "..")]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test.each<[string, string, (place: string) => void]>([
  ["ENOTDIR", "data/below", (at) => writeFileSync(join(at, "data"), "")],
  ["EEXIST", "data", (at) => writeFileSync(join(at, "data"), "")],
  ["ENOENT", "data", (at) => symlinkSync(join(at, "gone"), join(at, "data"))],
])("says %s for %s where something else stands in the way", (code, below, prepare) => {
  const at = place();
  prepare(at);
  expect(() => makeFolder(join(at, below))).toThrow(expect.objectContaining({ code }));
});

test("refuses a file system that takes no new folders, instead of trying for ever", ({ skip }) => {
  if (process.platform !== "linux") return skip("only /proc is known to be such a one");
  // In a process of its own: what never comes back would hold up every other test.
  const built = new URL("../../dist/files/writable-folder.js", import.meta.url).href;
  const script = `import { makeWritableFolder } from ${JSON.stringify(built)};
    try { makeWritableFolder("/proc/wakeshift/below"); } catch (error) { console.log(error.message); }`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 20_000 });
  expect(stdout).toMatch(/^Wakeshift can't keep anything in its folder \/proc\/wakeshift\/below: its file system takes no new folders\./);
});
