import { allowOrigin, denyOrigin, type TrustAnswer } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { useBridge } from "../show/use-bridge.ts";

interface TrustOptions {
  readonly app?: string;
}

/** Lets a core, or one app of it, wake this machine's conversations. */
export async function allow(origin: string, options: TrustOptions, output: Output): Promise<undefined> {
  await useBridge(output);
  const answer = await allowOrigin(origin, options.app);
  output.show(answer, `Allowed ${describe(answer, options)}.`);
  return undefined;
}

/** No longer lets a core, or one app of it, wake this machine's conversations. */
export async function deny(origin: string, options: TrustOptions, output: Output): Promise<undefined> {
  await useBridge(output);
  const answer = await denyOrigin(origin, options.app);
  output.show(answer, `Denied ${describe(answer, options)}. Nothing contacts it any more.`);
  return undefined;
}

function describe(answer: TrustAnswer, options: TrustOptions): string {
  const app = options.app === undefined ? "" : `, only app ${options.app}`;
  return `${answer.origin}${app}: ${String(answer.subscriptions)} subscribed`;
}
