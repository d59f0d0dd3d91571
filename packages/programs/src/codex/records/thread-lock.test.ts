import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holderOf, isExecCommandLine, isHeldByExec, threadState } from "./thread-lock.ts";

const TABLE = `1: POSIX  ADVISORY  READ 12958 fe:00:9995569 128 128
2: FLOCK  ADVISORY  WRITE 12958 fe:00:9994417 0 EOF
`;

const hasFlock = process.platform === "linux" && spawnSync("flock", ["--version"]).status === 0;

function homeWithLocks(...threads: readonly string[]): string {
  const home = mkdtempSync(join(tmpdir(), "codex-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "thread-writer-locks"));
  for (const thread of threads) writeFileSync(join(home, "thread-writer-locks", `${thread}.lock`), "");
  return home;
}

test("finds who holds a file, by its inode, in Linux's lock table", () => {
  expect(holderOf(TABLE, 9_994_417)).toBe(12_958);
  expect(holderOf(TABLE, 994_417)).toBeUndefined();
  expect(holderOf(TABLE, 12_958)).toBeUndefined();
});

test("PC-23: tells a codex exec run by its command line", () => {
  expect(isExecCommandLine(["codex", "exec", "--json", "hello"])).toBe(true);
  expect(isExecCommandLine(["codex", "-c", "model=x", "e", "resume", "01a2", "go on"])).toBe(true);
  expect(isExecCommandLine(["codex", "app-server"])).toBe(false);
  expect(isExecCommandLine(["codex", "please exec this"])).toBe(false);
});

test.runIf(hasFlock)("PC-23: calls a thread open whose lock a process holds, and tells an exec run from another", async () => {
  const home = homeWithLocks("01a229be");
  const lock = join(home, "thread-writer-locks", "01a229be.lock");
  for (const [name, exec] of [
    ["exec", true],
    ["app-server", false],
  ] as const) {
    const holder = spawn("flock", ["--no-fork", lock, "sh", "-c", "echo held; read line", "codex", name], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    await once(holder.stdout, "data");
    expect([threadState(home, "01a229be"), isHeldByExec(home, "01a229be")]).toEqual(["open", exec]);
    holder.stdin.end();
    await once(holder, "close");
  }
  expect([threadState(home, "01a229be"), isHeldByExec(home, "01a229be")]).toEqual(["closed", undefined]);
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
