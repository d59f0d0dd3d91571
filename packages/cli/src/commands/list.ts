import { listSubscriptions } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { useBridge } from "../show/use-bridge.ts";
import { table } from "../table.ts";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `list`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("list")
    .description("show what this machine's conversations are subscribed to")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Example:
  wakeshift list`),
    )
    .action((options: { json?: boolean }) => act(options, (output) => list(output)));
};

const STATES = {
  stranded: "stranded: its event has changed, so no emit matches it; have the agent subscribe again",
  waiting_for_answer: "waiting for answer",
  denied: "denied",
} as const;

/** Prints what this machine's conversations are subscribed to. */
export async function list(output: Output): Promise<undefined> {
  await useBridge(output);
  const { subscriptions } = await listSubscriptions();
  const rows = subscriptions.map((each) => [
    each.id,
    `${each.event} ${JSON.stringify(each.arguments)}`,
    each.app.name,
    `${each.program} ${each.conversation}`,
    each.state === "live" ? (each.once ? "once" : `until ${each.expires_at}`) : STATES[each.state],
  ]);
  output.show({ subscriptions }, rows.length === 0 ? "Nothing is subscribed." : table(rows));
  return undefined;
}
