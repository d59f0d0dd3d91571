import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Reads a process's command line; `undefined` where the system doesn't show it cheaply (Windows) or it is gone. */
export function commandLineOf(pid: number, platform: NodeJS.Platform = process.platform): readonly string[] | undefined {
  try {
    if (platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (platform === "win32") return undefined;
    return execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8", timeout: 2_000, stdio: ["ignore", "pipe", "ignore"] })
      .trim()
      .split(/\s+/);
  } catch {
    return undefined;
  }
}
