import { createHash } from "node:crypto";
import { userInfo } from "node:os";
import { join } from "node:path";

/** Where the bridge keeps its files. The only place that names them. */
export interface BridgeHome {
  readonly folder: string;
  /** Unix socket path, or the name of a named pipe on Windows. */
  readonly socket: string;
  /** Private folder the socket lies in, where that isn't `folder` (its path would be too long). */
  readonly socketFolder: string | undefined;
  readonly log: string;
  readonly hookLog: string;
  readonly workerLock: string;
  readonly supervisorLock: string;
  readonly holder: string;
  readonly tickets: string;
  readonly trust: string;
  readonly localCores: string;
  readonly coreSecrets: string;
  readonly settings: string;
  readonly wakes: string;
  readonly outbox: string;
  /** One file for each occurrence received, for delivery and for `show`. */
  readonly occurrences: string;
  /** One empty file for each conversation that has something subscribed or pending: what a hook looks at first. */
  readonly live: string;
  /** Reports a hook couldn't hand over. */
  readonly spool: string;
  /** Tools whose subscriptions were refused for their name. */
  readonly refusedTools: string;
  /** One file for each program: when a hook of ours last ran in it. */
  readonly hookRuns: string;
  /** One lock for each program's process that is watched, so that it has one watcher. */
  readonly watchers: string;
}

/** The shortest limit of a socket's path among the systems (macOS: 104 bytes with the final NUL). */
const SOCKET_PATH_BYTES = 103;

/** All paths under one home folder. */
export function bridgeHome(folder: string, platform: NodeJS.Platform = process.platform): BridgeHome {
  const place = socketPlace(folder, platform);
  return {
    folder,
    socket: place.socket,
    socketFolder: place.folder,
    log: join(folder, "bridge.log"),
    hookLog: join(folder, "hook.log"),
    workerLock: join(folder, "bridge.lock"),
    supervisorLock: join(folder, "supervisor.lock"),
    holder: join(folder, "holder"),
    tickets: join(folder, "tickets.json"),
    trust: join(folder, "trust.json"),
    localCores: join(folder, "local-cores.json"),
    coreSecrets: join(folder, "core-secrets.json"),
    settings: join(folder, "settings.json"),
    wakes: join(folder, "wakes.json"),
    outbox: join(folder, "outbox.json"),
    occurrences: join(folder, "occurrences"),
    live: join(folder, "live"),
    spool: join(folder, "spool"),
    refusedTools: join(folder, "refused-tools.json"),
    hookRuns: join(folder, "hook-runs"),
    watchers: join(folder, "watchers"),
  };
}

function socketPlace(folder: string, platform: NodeJS.Platform): { socket: string; folder: string | undefined } {
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  if (platform === "win32") return { socket: `\\\\.\\pipe\\wakeshift-${userInfo().username}-${digest}`, folder: undefined };
  const plain = join(folder, "bridge.sock");
  if (Buffer.byteLength(plain) <= SOCKET_PATH_BYTES) return { socket: plain, folder: undefined };
  // Not by TMPDIR: a hook and a command with different ones would look for two bridges. Whoever connects checks whose folder it is.
  const short = join("/tmp", `wakeshift-${userInfo().uid}-${digest}`);
  return { socket: join(short, "bridge.sock"), folder: short };
}
