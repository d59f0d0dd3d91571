import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import type { BridgeHome } from "./home.ts";
import { calledAs, COMMAND_VARIABLE } from "@wakeshift/programs/machine";

/** Starts a supervisor that outlives this process. If one runs already, the new one leaves at once. */
export function spawnSupervisor(home: BridgeHome, env: NodeJS.ProcessEnv): void {
  spawnDetached(home, env, [entry("supervisor-main")]);
}

/** Starts Node with these arguments, as a process that outlives this one. */
export function spawnDetached(home: BridgeHome, env: NodeJS.ProcessEnv, args: readonly string[]): void {
  assertAbsolute(home);
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
    // Not the folder of whoever started it: that one may be removed.
    cwd: home.folder,
    env: cleanEnvironment(env, home),
  });
  // Known by its lock, not by this: whoever needs the bridge waits for its answer.
  child.on("error", () => undefined);
  child.unref();
}

/** Starts a worker as a child of the supervisor. What it says on stderr is for the log. */
export function spawnWorker(home: BridgeHome, env: NodeJS.ProcessEnv): ChildProcess {
  assertAbsolute(home);
  return spawn(process.execPath, [entry("worker-main")], {
    stdio: ["ignore", "ignore", "pipe"],
    windowsHide: true,
    cwd: home.folder,
    env: cleanEnvironment(env, home),
  });
}

/** A child runs in the home folder: a relative one would mean a new home inside it, with a bridge of its own, and so on. */
function assertAbsolute(home: BridgeHome): void {
  if (!isAbsolute(home.folder)) throw new Error(`the home folder ${JSON.stringify(home.folder)} is not absolute`);
}

/** A choice of certificate authorities is the user's, and holds for the bridge, too. */
const CA_OPTIONS: readonly string[] = ["--use-openssl-ca", "--use-bundled-ca", "--use-system-ca"];

/** What a program sets for its own Node (preloaded modules, a debugger) must not reach the bridge; Node refuses to start with an option it doesn't know. */
export function cleanEnvironment(env: NodeJS.ProcessEnv, home: BridgeHome): NodeJS.ProcessEnv {
  const clean: NodeJS.ProcessEnv = { ...env, WAKESHIFT_HOME: home.folder, [COMMAND_VARIABLE]: calledAs(env) };
  // Under the other name, it is what the launcher kept away from the hook.
  const options = (env["NODE_OPTIONS"] ?? env["WAKESHIFT_NODE_OPTIONS"] ?? "").split(/\s+/);
  const kept = CA_OPTIONS.filter((option) => options.includes(option) && process.allowedNodeEnvironmentFlags.has(option));
  delete clean["NODE_OPTIONS"];
  delete clean["WAKESHIFT_NODE_OPTIONS"];
  if (kept.length > 0) clean["NODE_OPTIONS"] = kept.join(" ");
  delete clean["NODE_CHANNEL_FD"];
  return clean;
}

function entry(name: string): string {
  return fileURLToPath(new URL(`./daemon/${name}.js`, import.meta.url));
}
