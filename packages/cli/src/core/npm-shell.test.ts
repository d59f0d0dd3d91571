import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onNpmShellGone } from "./npm-shell.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ["npx wakeshift", "'wakeshift'", 1],
  ["a script of the project", "tsc -b && wakeshift serve", 1],
  ["a script that leaves it in the background", "wakeshift serve & node app.js", 0],
  ["a program that npx runs, which starts it", "claude", 0],
  ["no npm at all", undefined, 0],
])("the shell that npm put between is watched only if npm runs this command in the foreground: %s", (_what, script, timers) => {
  const stop = onNpmShellGone(script === undefined ? {} : { npm_lifecycle_script: script }, () => undefined);
  expect(vi.getTimerCount()).toBe(timers);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
