import { changeSetting } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { describeSettings } from "../show/describe-settings.ts";
import { useBridge } from "../show/use-bridge.ts";

/** Changes one setting of this machine and prints all of them. */
export async function set(key: string, value: string, output: Output): Promise<undefined> {
  await useBridge(output);
  const settings = await changeSetting(key, value);
  output.show(settings, describeSettings(settings));
  return undefined;
}
