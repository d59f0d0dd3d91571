import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { StatusAnswer } from "@wakeshift/bridge";
import { BUILT } from "./cli-world.ts";
import type { BridgeWorld } from "../bridge-support/bridge-world.ts";

/** What the real `wakeshift status` prints on this bridge's machine. */
export async function statusText(bridge: BridgeWorld, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [BUILT, "status", ...args], { env: bridge.env })).stdout;
}

/** The same with `--json`. */
export async function statusJson(bridge: BridgeWorld): Promise<Partial<StatusAnswer> & { readonly running: boolean }> {
  return JSON.parse(await statusText(bridge, "--json")) as Partial<StatusAnswer> & { readonly running: boolean };
}
