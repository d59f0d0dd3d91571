import type { RunResult } from "@wakeshift/programs";
import { expect, test } from "vitest";
import { createToldRunner } from "./settings-context.ts";

test("a program is asked for its version once, and waited for in one line; everything else is run each time", async () => {
  const ran: string[] = [];
  const waited: string[] = [];
  const over: string[] = [];
  const run = async (command: string, args: readonly string[]): Promise<RunResult> => {
    ran.push([command, ...args].join(" "));
    return { exitCode: 0, stdout: `${command} 1.2.3`, stderr: "", timedOut: false };
  };
  const told = createToldRunner({ run }, (what) => (waited.push(what), () => void over.push(what)));
  const both = await Promise.all([told.run("opencode", ["--version"]), told.run("opencode", ["--version"])]);
  expect(both.map((result) => result.stdout)).toEqual(["opencode 1.2.3", "opencode 1.2.3"]);
  await told.run("claude", ["--version"]);
  for (let round = 0; round < 2; round += 1) await told.run("opencode", ["debug", "config"]);
  const commands = ["opencode --version", "claude --version", "opencode debug config", "opencode debug config"];
  expect([ran, waited, over]).toEqual([commands, commands, commands]);
});
