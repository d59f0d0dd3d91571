import { join } from "node:path";
import { readRegularFile } from "../../machine/read-regular-file.ts";

const MOST_BYTES = 1_048_576;

/** What Claude Code notes about each running session in `sessions/PID.json` of its configuration folder. */
export interface RunningSession {
  readonly session: string;
  /** Wall clock, milliseconds. */
  readonly startedAt: number;
}

/** The session a process runs now; `undefined` where nothing is noted. One process runs another session after `/clear`. */
export function runningSession(configFolder: string, pid: number): RunningSession | undefined {
  try {
    const text = readRegularFile(join(configFolder, "sessions", `${pid}.json`), MOST_BYTES)?.toString("utf8") ?? "";
    const noted = JSON.parse(text) as {
      readonly sessionId?: unknown;
      readonly startedAt?: unknown;
    };
    if (typeof noted.sessionId !== "string") return undefined;
    return { session: noted.sessionId, startedAt: typeof noted.startedAt === "number" ? noted.startedAt : 0 };
  } catch {
    return undefined;
  }
}

/** Claude Code's configuration folder: `CLAUDE_CONFIG_DIR`, else `.claude` in the user's home. */
export function configFolder(env: NodeJS.ProcessEnv, userHome: string): string {
  const set = env["CLAUDE_CONFIG_DIR"];
  return set !== undefined && set !== "" ? set : join(userHome, ".claude");
}
