import { spawn } from "node:child_process";
import type { Runner, RunOptions, RunResult } from "@wakeshift/programs";

const DEFAULT_TIMEOUT_MS = 30_000;
const OUTPUT_BYTES = 262_144;
const KILL_AFTER_MS = 2_000;

/** Starts commands of agent programs: no shell, bounded output, bounded time. */
export const commandRunner: Runner = {
  run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return new Promise((resolve) => {
      const output = { stdout: new BoundedText(), stderr: new BoundedText() };
      let timedOut = false;
      let settled = false;
      const child = spawn(command, args, {
        cwd: options.cwd,
        env: options.env ?? process.env,
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      });
      const timer = setTimeout(() => {
        timedOut = true;
        child.kill("SIGTERM");
        setTimeout(() => {
          child.kill("SIGKILL");
          // A grandchild may hold the pipes open: nobody waits for it.
          setTimeout(() => finish(null), 100).unref();
        }, KILL_AFTER_MS).unref();
      }, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const finish = (exitCode: number | null, error?: NodeJS.ErrnoException): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
        const stderr = output.stderr.text() + (error?.message ?? "");
        const missing = error?.code === "ENOENT" ? { missing: true } : {};
        resolve({ exitCode: timedOut ? null : exitCode, stdout: output.stdout.text(), stderr, timedOut, ...missing });
      };
      child.once("error", (error) => finish(null, error));
      child.once("close", (code) => finish(code));
      child.stdout.on("data", (chunk: Buffer) => output.stdout.add(chunk));
      child.stderr.on("data", (chunk: Buffer) => output.stderr.add(chunk));
      // A command that doesn't read its input closes the pipe early.
      child.stdin.on("error", () => undefined);
      child.stdin.end(options.input ?? "");
    });
  },
};

class BoundedText {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: Buffer): void {
    const room = OUTPUT_BYTES - this.#size;
    if (room <= 0) return;
    this.#chunks.push(chunk.subarray(0, room));
    this.#size += Math.min(room, chunk.length);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
