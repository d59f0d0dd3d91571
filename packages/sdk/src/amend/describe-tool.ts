import { withPeriod } from "../text/with-period.ts";

/** The author's description with one sentence more: that this tool is how the app notifies the agent of these events. */
export function describeTool(description: string, events: readonly string[]): string {
  if (events.length === 0) return description;
  const sentence = `This tool is how the app notifies you of ${listed(events)}: it subscribes this conversation, which gets a new turn when it happens, so there is nothing to poll for.`;
  const own = description.trimEnd();
  if (own === "") return sentence;
  if (own.includes("\n")) return `${own}\n\n${sentence}`;
  return `${withPeriod(own)} ${sentence}`;
}

function listed(events: readonly string[]): string {
  const [last = "", ...others] = [...events].reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}
