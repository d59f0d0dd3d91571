import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../exercise/manual-clock.ts";
import type { Store } from "../../../engine/store.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "wakeshift-writable-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const open = (path: string): Store => openSqliteStore({ path, clock: new ManualClock() });

function refusal(path: string): { readonly code: string; readonly message: string } {
  try {
    void open(path).close();
  } catch (error) {
    return error as { readonly code: string; readonly message: string };
  }
  throw new Error(`${path} was opened`);
}

test.each<[string, string, (place: string) => void]>([
  ["a file stands where a folder is needed", "data", (place) => writeFileSync(join(place, "data"), "")],
  ["a file stands where a folder is needed", "data/below", (place) => writeFileSync(join(place, "data"), "")],
  ["a folder stands where the file belongs", "data", (place) => mkdirSync(join(place, "data", "core.db"), { recursive: true })],
  ["what it leads to isn't there", "data", (place) => symlinkSync(join(place, "gone", "too"), join(place, "data"))],
])("names the place and what to do where %s (%s)", (why, below, prepare) => {
  const place = folder();
  prepare(place);
  const { code, message } = refusal(join(place, below, "core.db"));
  expect(code).toBe("bad_request");
  expect(message).toMatch(/^The core can't keep its data in \S+: [^.]+\. [^.]*--data[^.]*\.$/);
  expect(message).toContain(`${place}/data`);
  expect(message).toContain(why);
});

test("refuses a file system that takes no new folders, instead of trying for ever", ({ skip }) => {
  if (process.platform !== "linux") return skip("only /proc is known to be such a one");
  // In a process of its own: what never comes back would hold up every other test.
  const script = `import { assertWritable } from ${JSON.stringify(new URL("../../../../dist/store/sqlite/file/assert-writable.js", import.meta.url).href)};
    for (const path of ["/proc/wakeshift/core.db", "/proc/wakeshift/below/core.db"]) try { assertWritable(path); } catch (error) { console.log(error.message); }`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 20_000 });
  expect(stdout.trim().split("\n")).toEqual([
    "The core can't keep its data in /proc/wakeshift: its file system takes no new folders. Choose another place with --data.",
    "The core can't keep its data in /proc/wakeshift/below: its file system takes no new folders. Choose another place with --data.",
  ]);
});

test("names a read-only file system, changes nothing on it, and has everything once it can be written to", async ({ skip }) => {
  const place = folder();
  const mount = (options: string): boolean => spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place]).status === 0;
  if (process.platform !== "linux" || !mount("size=16m,mode=700")) return skip("this user may mount no file system");
  onTestFinished(() => void spawnSync("umount", ["-l", place]));
  const path = join(place, "core.db");
  const store = open(path);
  await store.createApp({ id: "app_a", name: "A", createdAt: 1 });
  await store.close();
  mount("remount,ro");
  for (const one of [path, join(place, "new", "core.db")])
    expect(refusal(one)).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(`${place}: its file system is read-only`) as string,
    });
  mount("remount,rw");
  const again = open(path);
  expect((await again.listApps()).map((app) => app.name)).toEqual(["A"]);
  await again.close();
});
