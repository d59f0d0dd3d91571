const ENDS_SENTENCE = /[.!?:;…。！？]["')\]]*$/;

/** The author's description with one sentence more: that this tool is how the app notifies the agent of these events. */
export function describeTool(description: string, events: readonly string[]): string {
  if (events.length === 0) return description;
  const sentence = `This tool is how the app notifies you of ${listed(events)}: it subscribes this conversation, which gets a new turn when it happens, so there is nothing to poll for.`;
  const own = description.trimEnd();
  if (own === "") return sentence;
  if (own.includes("\n")) return `${own}\n\n${sentence}`;
  return `${withPeriod(own)} ${sentence}`;
}

/** A line that another sentence may follow. */
export function withPeriod(line: string): string {
  const own = line.trimEnd();
  return own === "" || ENDS_SENTENCE.test(own) ? own : `${own}.`;
}

function listed(events: readonly string[]): string {
  const [last = "", ...others] = [...events].reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}
