import { ownCommand } from "@wakeshift/programs/machine";
import type { Emitted } from "@wakeshift/sdk";

/** What became of an emit, as a person reads it: who is subscribed, whether they can be woken now, and where to look on. */
export function describeEmitted(emitted: Emitted): string {
  return `${emitted.duplicate ? "Emitted before" : "Emitted"}: ${emitted.id}, ${describeReach(emitted)}`;
}

function describeReach({ matched, connected }: Emitted): string {
  const who = matched === 1 ? "1 conversation is subscribed" : `${String(matched)} conversations are subscribed`;
  if (matched === 0) return `${who}. Subscriptions are matched by --args; \`${ownCommand(["list"])}\` shows what this machine's wait for.`;
  const arrival = `\`${ownCommand(["status"])}\` on the machine of the agent shows whether it arrived.`;
  if (connected === undefined) return `${who}. ${arrival}`;
  if (connected >= matched) return `${who} and connected. ${arrival}`;
  const doctor = `\`${ownCommand(["doctor"])}\`, run on the machine of the agent and in the folder where it runs, says why.`;
  const held = "It is stored, and comes once a bridge does.";
  if (connected > 0)
    return `${who}, only ${String(connected)} of them connected: no bridge holds the tickets of the others. ${held} ${doctor}`;
  return matched === 1
    ? `${who}, but not connected: no bridge holds its ticket. ${held} ${doctor}`
    : `${who}, none of them connected: no bridge holds their tickets. ${held} ${doctor}`;
}
