import { expect, test } from "vitest";
import { describeSettings } from "./describe-settings.ts";

test.each([
  ["never", "the wakes of a closed conversation wait until it is opened"],
  ["unattended", "a wake continues a closed run that was unattended; other closed conversations wait"],
  ["always", "a wake continues any closed conversation"],
] as const)("resume %s is told with what it means, and the others with their units", (resume, meaning) => {
  const lines = describeSettings({ resume, "unattended-wait": 90_000, "wake-budget": 7 }).split("\n");
  expect(lines.map((line) => line.trim().split(/ {2,}/).slice(0, 2))).toEqual([
    ["resume", resume],
    ["unattended-wait", "1 minute 30 seconds"],
    ["wake-budget", "7 an hour"],
  ]);
  expect(lines[0]).toContain(meaning);
});
