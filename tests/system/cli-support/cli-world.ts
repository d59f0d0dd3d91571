import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The command as it was built here. */
export const BUILT: string = fileURLToPath(new URL("../../../packages/cli/bin/wakeshift.js", import.meta.url));

/** What a finished command left. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One user's machine: a home folder of its own, and the real command. */
export interface CliWorld {
  readonly home: string;
  /** From now on the command of another installation is run. */
  use(command: string): void;
  /** Runs a command to its end. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  /** Runs one with `--json` and answers what it printed. Fails where it left with another code than 0. */
  json<T>(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<T>;
  /** Starts one that stays, and answers its first line, parsed. */
  start<T>(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ readonly first: T; readonly child: ChildProcess; stop(): Promise<void> }>;
}

/** A fresh user's machine. Everything it started is gone when the test ends. */
export function cliWorld(): CliWorld {
  const home = mkdtempSync(join(tmpdir(), "wakeshift-cli-"));
  const baseEnv = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    WAKESHIFT_HOME: join(home, "wakeshift"),
    // As a user calls it, wherever this checkout is.
    WAKESHIFT_COMMAND: "npx wakeshift",
  };
  let command = BUILT;
  const stops: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const stop of stops) await stop();
    await run(["bridge", "--stop"]);
    rmSync(home, { recursive: true, force: true });
  });

  const launch = (args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess =>
    spawn(process.execPath, [command, ...args], { env: { ...baseEnv, ...env }, cwd: home, stdio: ["ignore", "pipe", "pipe"] });

  async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
    const child = launch(args, env);
    const texts = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk: Buffer) => (texts.stdout += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (texts.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...texts };
  }

  return {
    home,
    use: (other) => void (command = other),
    run,
    json: async <T>(args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const finished = await run([...args, "--json"], env);
      if (finished.code !== 0)
        throw new Error(`wakeshift ${args.join(" ")} left with ${String(finished.code)}: ${finished.stdout}${finished.stderr}`);
      return JSON.parse(finished.stdout) as T;
    },
    start: async <T>(args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const child = launch([...args, "--json"], env);
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      const stop = async (): Promise<void> => {
        child.kill("SIGTERM");
        await ended;
      };
      stops.push(stop);
      let stderr = "";
      child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      if (child.stdout === null) throw new Error("no stdout");
      const lines = createInterface({ input: child.stdout });
      const line = await Promise.race([
        new Promise<string>((resolve) => lines.once("line", resolve)),
        ended.then(() => Promise.reject(new Error(`it ended before it was ready: ${stderr}`))),
      ]);
      return { first: JSON.parse(line) as T, child, stop };
    },
  };
}
