import { changeSetting } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { useBridge } from "../show/use-bridge.ts";

/** Changes one setting of this machine and prints all of them. */
export async function set(key: string, value: string, output: Output): Promise<undefined> {
  await useBridge(output);
  const settings = await changeSetting(key, value);
  const lines = Object.entries(settings).map(([name, current]) => `${name}: ${String(current)}`);
  output.show(settings, lines.join("\n"));
  return undefined;
}
