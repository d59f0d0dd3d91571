import { allowOrigin } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { countOf, subjectOf } from "../show/describe-trust.ts";
import { useBridge } from "../show/use-bridge.ts";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `allow`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("allow")
    .description("let a core, or one app of it, wake this machine's conversations")
    .argument("<origin>", "the core's origin, such as https://wake.example.com")
    .option("--app <app>", "only this app of it, by name or id")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Cores that \`dev\` or \`serve\` started on this machine are allowed without being asked.

Examples:
  wakeshift allow https://wake.example.com
  wakeshift allow https://wake.example.com --app Crawler        only this app, by its name or id`),
    )
    .action((origin: string, options: { app?: string; json?: boolean }) => act(options, (output) => allow(origin, options, output)));
};

/** Lets a core, or one app of it, wake this machine's conversations. */
export async function allow(origin: string, options: { readonly app?: string }, output: Output): Promise<undefined> {
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
