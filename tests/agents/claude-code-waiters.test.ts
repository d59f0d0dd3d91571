import { afterEach, describe, expect, it } from "vitest";
import type { World } from "./support/world.ts";
import { armed, setUpClaude, startClaude, subscribe, waiters } from "./support/claude-code.ts";
import { kill } from "./support/processes.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

afterEach(async () => {
  await world.close();
});

describe("Claude Code's waiters", { timeout: 180_000 }, () => {
  it("are at most one at any moment through 20 turns, and gone within 30 s of the session's kill (PC-25)", async () => {
    world = await makeWorld("claude-code");
    await setUpClaude(world);
    const session = startClaude(world);
    await subscribe(world, session, "many turns");
    let most = 0;
    let over = false;
    const watching = (async () => {
      // A hook that is about to take over from the one before runs beside it for as long as a process takes to start.
      while (!over) most = Math.max(most, (await waiters(world, 3_000)).length);
    })();
    for (let turn = 2; turn <= 21; turn += 1) {
      session.say(`turn ${turn}`);
      await session.ended(turn);
    }
    await armed(world);
    over = true;
    await watching;
    expect(most).toBe(1);
    expect(await waiters(world)).toHaveLength(1);

    kill(session.pid);
    const killed = performance.now();
    await waitUntil("no waiter", async () => (await waiters(world)).length === 0, 30_000);
    expect(performance.now() - killed).toBeLessThan(30_000);
  });

  it("don't hold the start of a session up, subscribed or not (PC-25)", async () => {
    world = await makeWorld("claude-code");
    await setUpClaude(world);
    const start = async (env: NodeJS.ProcessEnv): Promise<number> => {
      const from = world.model.requests.length;
      const began = performance.now();
      const session = startClaude(world, { env });
      session.say("hello");
      const request = await world.model.waitFor("hello", { from, timeoutMs: 60_000 });
      await session.ended(1);
      await session.close();
      return request.at - began;
    };
    const bare = { CLAUDE_CONFIG_DIR: `${world.home}/bare` };
    await start(bare);
    // The quickest of three each: what else the machine does must not count as ours.
    const quickest = async (env: NodeJS.ProcessEnv): Promise<number> => Math.min(await start(env), await start(env), await start(env));
    const without = await quickest(bare);
    expect((await quickest({})) - without).toBeLessThan(300);
  });
});
