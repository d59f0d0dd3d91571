import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

/** A started program and all it wrote so far. */
export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout: string;
  stderr: string;
  /** Resolves with the exit code once it ended; `null` where a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Starts a program and collects its output. stdin is empty unless `options.stdio` says otherwise. */
export function start(command: string, args: readonly string[], options: SpawnOptions): Started {
  const child = spawn(command, [...args], { stdio: ["ignore", "pipe", "pipe"], ...options });
  const started: Started = {
    child,
    pid: child.pid ?? -1,
    stdout: "",
    stderr: "",
    ended: new Promise((resolve) => {
      child.on("close", (code) => resolve(code));
      child.on("error", (error) => {
        started.stderr += String(error);
        resolve(null);
      });
    }),
  };
  child.stdout?.on("data", (chunk: Buffer) => (started.stdout += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (started.stderr += chunk.toString("utf8")));
  return started;
}

/** Whether a process lives (a zombie doesn't). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readStatus(pid));
  } catch {
    return false;
  }
}

/** Sends a signal to one process; a process that is gone already is fine. */
export function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  if (pid <= 1) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, which is what was wanted.
  }
}

/** The processes whose environment or working folder names `folder`: those that a test's world started, however deep. Linux only. */
export function processesOf(folder: string): number[] {
  if (process.platform !== "linux") return [];
  const own = process.pid;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== own)
    .map(Number)
    .filter((pid) => belongsTo(pid, folder));
}

/** Kills every process of a folder, until none is left. */
export async function killProcessesOf(folder: string): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    const pids = processesOf(folder);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The command lines of a folder's processes, for failure messages and for counting. */
export function commandLinesOf(folder: string): { readonly pid: number; readonly line: string }[] {
  return processesOf(folder).map((pid) => ({ pid, line: readProc(pid, "cmdline").replaceAll("\0", " ").trim() }));
}

function belongsTo(pid: number, folder: string): boolean {
  if (!isAlive(pid)) return false;
  if (readProc(pid, "environ").includes(folder)) return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false;
  }
}

function readStatus(pid: number): string {
  return process.platform === "linux" ? readProc(pid, "status") : "";
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
