import { readFileSync, readlinkSync, readdirSync } from "node:fs";
import { until } from "./bridge-world.ts";

export function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") === false;
  } catch {
    return false;
  }
}

export async function killHard(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(`process ${pid} to be gone`, () => !isRunning(pid));
}

/** Processes of this bridge: those whose environment names its folder and whose command is one of ours. */
export function bridgeProcesses(folder: string, main: "supervisor-main" | "worker-main" | "watcher-main"): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return (
          command.includes(`${main}.js`) && readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`WAKESHIFT_HOME=${folder}`)
        );
      } catch {
        return false;
      }
    });
}

/** Local addresses of the TCP sockets that a process listens on. */
export function listeningTcp(pid: number): string[] {
  const inodes = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`)) ?? [];
      if (inode !== undefined) inodes.add(inode);
    } catch {
      // Closed meanwhile.
    }
  }
  const LISTEN = "0A";
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTEN && inodes.has(fields[9] ?? ""))
      .map((fields) => fields[1] ?? ""),
  );
}
