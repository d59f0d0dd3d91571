import { runHook } from "@wakeshift/bridge/hook";

/** `wakeshift hook PROGRAM EVENT`: leaves the program working whatever happens here. */
export async function hook(args: readonly string[]): Promise<void> {
  await runHook(args);
}
