import { resolveHomeFolder } from "@wakeshift/programs/machine";
import type { SupervisorEnd } from "./daemon/supervisor.ts";
import { bridgeHome } from "./home.ts";

/** Runs the bridge's supervisor in this process until it is stopped. */
export async function runBridge(env: NodeJS.ProcessEnv = process.env): Promise<SupervisorEnd> {
  const { superviseBridge } = await import("./daemon/supervisor.ts");
  return superviseBridge(bridgeHome(resolveHomeFolder(env)), env);
}
