import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holdsInode, threadState } from "./thread-lock.ts";

const TABLE = `1: POSIX  ADVISORY  READ 12958 fe:00:9995569 128 128
2: FLOCK  ADVISORY  WRITE 12958 fe:00:9994417 0 EOF
`;

function homeWithLocks(...threads: readonly string[]): string {
  const home = mkdtempSync(join(tmpdir(), "codex-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "thread-writer-locks"));
  for (const thread of threads) writeFileSync(join(home, "thread-writer-locks", `${thread}.lock`), "");
  return home;
}

test("finds a locked file in Linux's lock table by its inode", () => {
  expect(holdsInode(TABLE, 9_994_417)).toBe(true);
  expect(holdsInode(TABLE, 994_417)).toBe(false);
  expect(holdsInode(TABLE, 12_958)).toBe(false);
});

test("calls a thread without a lock closed", () => {
  expect(threadState(homeWithLocks(), "01a229be")).toBe("closed");
});

test.runIf(process.platform === "linux")("calls a thread closed whose lock a killed process left behind", () => {
  const home = homeWithLocks("01a229be");
  expect(statSync(join(home, "thread-writer-locks", "01a229be.lock")).ino).toBeGreaterThan(0);
  expect(threadState(home, "01a229be")).toBe("closed");
});

test("doesn't know where this Codex keeps no locks", () => {
  expect(threadState(join(tmpdir(), "no-such-codex-home"), "01a229be")).toBe("unknown");
});

test("takes no thread id that names another place", () => {
  expect(threadState(homeWithLocks(), "../../x")).toBe("closed");
});
