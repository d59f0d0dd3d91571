import { statSync } from "node:fs";
import type { Server } from "node:http";
import { pino } from "pino";
import { redactSecrets } from "@wakeshift/protocol";
import { systemClock } from "../clock.ts";
import type { BridgeHome } from "../home.ts";
import type { Program } from "@wakeshift/programs";
import { packageVersion } from "../package-version.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { BoundedLog } from "../files/bounded-log.ts";
import { Bridge } from "../service/bridge.ts";
import type { BridgeConfig } from "./config.ts";
import { commandRunner } from "../command-runner.ts";
import { listenLocally, localApp } from "../service/local-server.ts";
import { ProcessLock, readLock } from "../files/process-lock.ts";
import { spawnSupervisor } from "../spawn-process.ts";
import { WORKER_EXIT } from "./worker-exit.ts";
import type { WorkerExit } from "./worker-exit.ts";

const LOG_BYTES = 2_097_152;
const WATCH_MS = 1_000;
/** A supervisor that doesn't come up is tried for ever less often, so that a home it can't use costs no stream of processes. */
const LONGEST_LOOKS_BETWEEN = 60;

/**
 * The process that does the bridge's work. It holds the lock and the socket, leaves to its supervisor when either is no longer
 * its own, and brings a supervisor up when there is none.
 */
export async function runWorker(config: BridgeConfig, programs: readonly Program[], env: NodeJS.ProcessEnv): Promise<void> {
  const { home, takerLeaseMs, wayTimes } = config;
  makePrivateFolder(home.folder);
  const lock = ProcessLock.acquire(home.workerLock);
  if (lock === undefined) process.exit(WORKER_EXIT.alreadyRuns);
  const file = new BoundedLog(home.log, LOG_BYTES);
  const logger = pino({ base: { pid: process.pid } }, { write: (line: string) => file.write(line) });
  process.on("uncaughtException", (error) => {
    logger.fatal({ detail: redactSecrets(error.stack ?? error.message) }, "the bridge failed and starts again");
    process.exit(WORKER_EXIT.fault);
  });
  const bridge = new Bridge({
    home,
    programs,
    runner: commandRunner,
    clock: systemClock,
    random: Math.random,
    log: (level, message, facts) => logger[level](facts, message),
    version: packageVersion(),
    supervisor: () => readLock(home.supervisorLock)?.pid ?? 0,
    ...(takerLeaseMs === undefined ? {} : { leaseMs: takerLeaseMs }),
    wayTimes,
  });
  const stop = stopOnce(home, lock, bridge, () => server);
  const events = {
    onStop: () => setImmediate(stop, WORKER_EXIT.stopped, true),
    onFault: (error: unknown) => logger.error({ detail: errorText(error) }, "a request failed"),
  };
  const server = await listenLocally(localApp(bridge, events), home);
  bridge.start();
  logger.info({ socket: home.socket }, "the bridge runs");
  process.on("SIGTERM", () => stop(WORKER_EXIT.stopped));
  process.on("SIGINT", () => stop(WORKER_EXIT.stopped));
  watch(
    home,
    lock,
    env,
    () => stop(WORKER_EXIT.displaced),
    (message) => logger.info({}, message),
  );
}

/** Ends the process once, with everything on disk. `all`: the supervisor too, so that nothing starts it again. */
function stopOnce(home: BridgeHome, lock: ProcessLock, bridge: Bridge, server: () => Server): (code: WorkerExit, all?: boolean) => void {
  let stopping = false;
  return (code, all = false) => {
    if (stopping) return;
    stopping = true;
    const supervisor = readLock(home.supervisorLock);
    if (all && supervisor !== undefined && supervisor.pid !== process.pid) signal(supervisor.pid);
    server().close();
    void bridge
      .close()
      .catch(() => undefined)
      .finally(() => {
        server().closeAllConnections();
        lock.release();
        process.exit(code);
      });
  };
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It ended by itself.
  }
}

/** A bridge whose home or socket was taken from it leaves, and is started anew if the home is there; one without a supervisor brings one up. */
function watch(home: BridgeHome, lock: ProcessLock, env: NodeJS.ProcessEnv, leave: () => void, log: (message: string) => void): void {
  const socket = socketId(home.socket);
  let looksBetween = 1;
  let looksLeft = 0;
  setInterval(() => {
    if (!lock.isHeld() || socketId(home.socket) !== socket) {
      log("the bridge's lock or socket is gone; it leaves");
      leave();
    } else if (readLock(home.supervisorLock) !== undefined) {
      looksBetween = 1;
      looksLeft = 0;
    } else if (looksLeft > 0) {
      looksLeft -= 1;
    } else {
      log("the supervisor is gone; another one is started");
      spawnSupervisor(home, env);
      looksLeft = looksBetween;
      looksBetween = Math.min(LONGEST_LOOKS_BETWEEN, looksBetween * 2);
    }
  }, WATCH_MS);
}

function socketId(path: string): string {
  if (process.platform === "win32") return "";
  try {
    return String(statSync(path).ino);
  } catch {
    return "gone";
  }
}

function errorText(error: unknown): string {
  return redactSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
