import { cleanLine, cleanText } from "@wakeshift/protocol";
import { showOccurrence } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { useBridge } from "../show/use-bridge.ts";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `show`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("show")
    .description("show an occurrence whole, also one that was too long for the conversation")
    .argument("<occurrence>", "its id, evt_…")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Example:
  wakeshift show evt_1234               the id stands in the wake's text and in \`wakeshift status\``),
    )
    .action((id: string, options: { json?: boolean }) => act(options, (output) => show(id, output)));
};

/** Prints an occurrence whole. What an app sent is data: control characters don't reach the terminal. */
export async function show(id: string, output: Output): Promise<undefined> {
  await useBridge(output);
  const occurrence = await showOccurrence(id);
  const text = [
    cleanLine(`${occurrence.event} from ${occurrence.app.name} (${occurrence.app.id}), ${occurrence.timestamp}`),
    cleanLine(`occurrence   ${occurrence.occurrence}`),
    cleanLine(`subscription ${occurrence.subscription}`),
    cleanLine(`arguments    ${JSON.stringify(occurrence.arguments)}`),
    cleanText(occurrence.text),
    cleanText(JSON.stringify(occurrence.payload, null, 2)),
  ].join("\n");
  output.show(occurrence, text);
  return undefined;
}
