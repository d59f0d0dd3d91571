import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { stopBridge } from "@wakeshift/bridge";
import { expect, test } from "vitest";
import { startBridgeWorld, type BridgeWorld } from "./bridge-support/bridge-world.ts";
import { BUILT } from "./cli-support/cli-world.ts";
import { startWorld, subscribe } from "./core-support/core-world.ts";

interface Removal {
  readonly programs: readonly [{ readonly subscriptions_left: number }];
}

/** A bridge at which a conversation of Codex has two subscriptions and one of opencode has one. */
async function subscribedWorld(): Promise<{ readonly bridge: BridgeWorld; run(...args: readonly string[]): Promise<string> }> {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core });
  const [first, second, third] = [await subscribe(core.app), await subscribe(core.app), await subscribe(core.app)];
  await bridge.report([first], { program: "codex", conversation: "one" });
  await bridge.report([second], { program: "codex", conversation: "two" });
  await bridge.report([third], { program: "opencode", conversation: "three" });
  const env = { ...bridge.env, HOME: bridge.home.folder, CODEX_HOME: `${bridge.home.folder}/codex`, PATH: "/nonexistent" };
  return { bridge, run: async (...args) => (await promisify(execFile)(process.execPath, [BUILT, ...args], { env })).stdout };
}

test("a removal says how many subscriptions of the program remain, what becomes of them, and the command that ends them", async () => {
  const { run } = await subscribedWorld();
  const codex = await run("setup", "codex", "--remove", "--yes");
  expect(codex).toContain("2 subscriptions of codex conversations remain (`npx wakeshift list`): taking out the settings ends none.");
  expect(codex).toMatch(
    /They end by themselves, the last on \d{4}-\d\d-\d\dT.+Z\. Until then the bridge still wakes those of them that are open\./,
  );
  expect(codex).toContain("To end them now: npx wakeshift end --program codex");
  const opencode = await run("setup", "opencode", "--remove", "--yes");
  expect(opencode).toContain("1 subscription of opencode conversations remains");
  expect(opencode).toContain("Until then their wakes wait; a process of opencode that was running before this may still take them.");
  expect(await run("setup", "claude-code", "--remove", "--yes")).toBe("claude-code: nothing to change\n");

  expect(await run("end", "--program", "codex")).toBe("Ended 2 subscriptions of codex.\n");
  expect(await run("end", "--program", "codex")).toBe("No conversation of codex is subscribed to anything.\n");
  expect(await run("setup", "codex", "--remove", "--yes")).toBe("codex: nothing to change\n");
  expect(await run("list")).toContain("opencode three");
});

test("a removal knows what remains also where no bridge runs, and starts none", async () => {
  const { bridge, run } = await subscribedWorld();
  await stopBridge(bridge.env);
  expect(await run("setup", "codex", "--remove", "--yes")).toContain("2 subscriptions of codex conversations remain");
  const json = JSON.parse(await run("setup", "codex", "--remove", "--yes", "--json")) as Removal;
  expect(json.programs[0].subscriptions_left).toBe(2);
  expect(await stopBridge(bridge.env)).toBe(false);
});
