import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { BUILT, cliWorld } from "./cli-support/cli-world.ts";
import { installProgram } from "./cli-support/installed-program.ts";

const TERMINAL = new URL("./cli-support/pass-for-a-terminal.mjs", import.meta.url).href;
const QUESTION = "Apply this? [y/N, d shows every line]";

/** `wakeshift setup …` on a terminal, on a machine that has opencode and Claude Code. */
function asking(...args: readonly string[]): {
  readonly shown: () => string;
  readonly asked: (times: number) => Promise<void>;
  readonly type: (text: string) => void;
  readonly hangUp: () => void;
  readonly code: Promise<number | null>;
  readonly isSetUp: () => boolean;
} {
  const world = cliWorld();
  installProgram(world, "claude");
  const path = installProgram(world, "opencode");
  const env = { ...process.env, ...path, HOME: world.home, XDG_CONFIG_HOME: "", WAKESHIFT_HOME: join(world.home, "wakeshift") };
  const child = spawn(process.execPath, ["--import", TERMINAL, BUILT, "setup", ...args], { env, cwd: world.home });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  return {
    shown: () => shown,
    asked: (times) => vi.waitFor(() => expect(shown.split(QUESTION).length).toBeGreaterThan(times), 45_000),
    type: (text) => void child.stdin.write(text),
    hangUp: () => void child.stdin.end(),
    code: new Promise((resolve) => child.once("close", resolve)),
    isSetUp: () => existsSync(join(world.home, ".config", "opencode", "plugins", "wakeshift.js")),
  };
}

test("on a terminal, d shows every line and asks again", async () => {
  const { shown, asked, type, code, isSetUp } = asking("opencode");
  await asked(1);
  expect(shown().split("\n").length).toBeLessThan(6);
  type("d\r");
  await asked(2);
  expect(shown().split("\n").length).toBeGreaterThan(400);
  type("y\r");
  expect(await code).toBe(0);
  expect(shown()).toContain("opencode: connected");
  expect(isSetUp()).toBe(true);
});

test("a no is for one program only: the next one is asked about", async () => {
  const { shown, asked, type, code, isSetUp } = asking("opencode", "claude-code");
  await asked(1);
  type("n\r");
  await asked(2);
  type("y\r");
  expect(await code).toBe(0);
  expect(shown()).toContain("opencode: nothing was changed");
  expect(shown()).toContain("claude-code: connected");
  expect(isSetUp()).toBe(false);
});

test.each([
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
  ["a closed input", undefined],
])("%s at the question changes nothing and asks about no other program", async (_name, key) => {
  const { shown, asked, type, hangUp, code, isSetUp } = asking("opencode", "claude-code");
  await asked(1);
  if (key !== undefined) {
    type(key);
    await vi.waitFor(() => expect(shown()).toContain("Stopped there."), 45_000);
  }
  // A pipe that passes for a terminal still keeps the process that reads it.
  hangUp();
  expect(await code).toBe(1);
  expect(shown()).toContain("\nopencode: nothing was changed\nStopped there. Not looked at: claude-code.\n");
  expect(shown().split(QUESTION)).toHaveLength(2);
  expect(isSetUp()).toBe(false);
});
