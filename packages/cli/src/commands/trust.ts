import { allowOrigin, denyOrigin, type TrustAnswer } from "@wakeshift/bridge";
import { ownCommand } from "@wakeshift/programs/machine";
import { cleanLine } from "@wakeshift/protocol";
import type { Output } from "../output.ts";
import { useBridge } from "../show/use-bridge.ts";

interface TrustOptions {
  readonly app?: string;
}

/** Lets a core, or one app of it, wake this machine's conversations. */
export async function allow(origin: string, options: TrustOptions, output: Output): Promise<undefined> {
  await useBridge(output);
  const answer = await allowOrigin(origin, options.app);
  const { app, others } = answer;
  const rest = {
    allowed: "Its other apps may, too, unless you denied them.",
    denied: "Its other apps stay denied, unless you allowed them.",
    waiting: "Its other apps wait for your answer, unless you gave one.",
  }[others];
  output.show(
    answer,
    `Allowed ${subjectOf(answer)}: ${countOf(answer)}. ${app === undefined ? "Every app of it may wake this machine." : rest}`,
  );
  return undefined;
}

/** No longer lets a core, or one app of it, wake this machine's conversations. What is subscribed there is kept, muted. */
export async function deny(origin: string, options: TrustOptions, output: Output): Promise<undefined> {
  await useBridge(output);
  const answer = await denyOrigin(origin, options.app);
  const { app, others, subscriptions } = answer;
  const rest = {
    allowed: "Its other apps may still wake this machine, unless you denied them.",
    denied: "Its other apps were denied before, unless you allowed them.",
    waiting: "Its other apps wait for your answer, unless you gave one.",
  }[others];
  const option = app === undefined ? [] : ["--app", app.id];
  const lines = [
    `Denied ${subjectOf(answer)}: ${countOf(answer)}. ${app === undefined ? "Nothing contacts it any more." : `Nothing of this app is fetched or shown any more. ${rest}`}`,
    subscriptions === 0
      ? ""
      : `What is subscribed is kept, muted, and its core keeps what it emits for a while. Unmute: ${ownCommand(["allow", ...option], [answer.origin])}. End one: ${ownCommand(["end", "ID"])}`,
  ];
  output.show(answer, lines.filter((line) => line !== "").join("\n"));
  return undefined;
}

function subjectOf({ origin, app }: TrustAnswer): string {
  return app === undefined ? origin : cleanLine(`${app.name} (${app.id}) of ${origin}`);
}

function countOf({ subscriptions }: TrustAnswer): string {
  return `${String(subscriptions)} ${subscriptions === 1 ? "subscription" : "subscriptions"}`;
}
