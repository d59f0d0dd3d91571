import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ADMIN_TOKEN } from "./core-world.ts";

const MAIN = join(import.meta.dirname, "../../../packages/core/dist/main.js");

/** A core as a process of its own, that a test may kill. */
export interface CoreProcess {
  readonly url: string;
  readonly pid: number;
  /** What it wrote to stderr. */
  readonly log: string[];
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the built core on a database file. */
export async function startCoreProcess(database: string, env: Record<string, string> = {}): Promise<CoreProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      WAKESHIFT_DATABASE_URL: database,
      WAKESHIFT_PORT: "0",
      WAKESHIFT_ADMIN_TOKEN: ADMIN_TOKEN,
      WAKESHIFT_EMITS_PER_SECOND: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const line = await Promise.race([firstLine(child), once(child, "exit").then(() => undefined)]);
  if (line === undefined) throw new Error(`the core didn't start: ${log.join("\n")}`);
  const { url } = JSON.parse(line) as { url: string };
  const gone = once(child, "exit");
  return {
    url,
    pid: child.pid ?? 0,
    log,
    kill: async (signal) => {
      child.kill(signal);
      await gone;
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once("line", resolve);
  });
}
