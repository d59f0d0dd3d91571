import { cleanLine, cleanText } from "@wakeshift/protocol";

/** A line of the core's JSON log as a person reads it: time, level where it isn't `info`, sentence, facts. */
export function describeLogLine(line: string): string {
  let entry: Readonly<Record<string, unknown>>;
  try {
    entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return cleanText(line);
  }
  const { level, time, msg, ...facts } = entry;
  const clock = /T(\d\d:\d\d:\d\d)/.exec(String(time))?.[1] ?? "";
  const told = Object.entries(facts).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const words = [clock, level === "info" ? "" : String(level), String(msg), told.length === 0 ? "" : `(${told.join(", ")})`];
  return `${cleanLine(words.filter((word) => word !== "").join(" "))}\n`;
}
