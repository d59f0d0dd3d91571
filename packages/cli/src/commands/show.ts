import { cleanText } from "@wakeshift/protocol";
import { showOccurrence } from "@wakeshift/bridge";
import type { Output } from "../output.ts";

/** Prints an occurrence whole. What an app sent is data: control characters don't reach the terminal. */
export async function show(id: string, output: Output): Promise<undefined> {
  const occurrence = await showOccurrence(id);
  const text = [
    `${occurrence.event} from ${cleanText(occurrence.app.name)} (${occurrence.app.id}), ${occurrence.timestamp}`,
    `occurrence   ${occurrence.occurrence}`,
    `subscription ${occurrence.subscription}`,
    `arguments    ${JSON.stringify(occurrence.arguments)}`,
    cleanText(occurrence.text),
    JSON.stringify(occurrence.payload, null, 2),
  ].join("\n");
  output.show(occurrence, text);
  return undefined;
}
