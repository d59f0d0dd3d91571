import { denyOrigin } from "@wakeshift/bridge";
import { ownCommand } from "@wakeshift/programs/machine";
import type { Output } from "../output.ts";
import { countOf, subjectOf } from "../show/describe-trust.ts";
import { useBridge } from "../show/use-bridge.ts";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `deny`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("deny")
    .description("no longer let a core, or one app of it, wake this machine's conversations")
    .argument("<origin>", "the core's origin, such as https://wake.example.com")
    .option("--app <app>", "only this app of it, by name or id")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`What is subscribed there is kept, muted: the core isn't contacted any more. \`wakeshift allow\` unmutes it, \`wakeshift end\` ends one subscription.
An answer about a core replaces those about its apps.

Examples:
  wakeshift deny https://wake.example.com
  wakeshift deny https://wake.example.com --app Crawler`),
    )
    .action((origin: string, options: { app?: string; json?: boolean }) => act(options, (output) => deny(origin, options, output)));
};

/** No longer lets a core, or one app of it, wake this machine's conversations. What is subscribed there is kept, muted. */
export async function deny(origin: string, options: { readonly app?: string }, output: Output): Promise<undefined> {
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
