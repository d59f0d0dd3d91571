import { afterEach, describe, expect, it } from "vitest";
import type { World } from "./support/world.ts";
import { setUpClaude, startClaude, subscribe, waiters } from "./support/claude-code.ts";
import { extraTime } from "./support/extra-time.ts";
import { kill } from "./support/processes.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

afterEach(async () => {
  await world.close();
});

describe("Claude Code's waiters", { timeout: 400_000 }, () => {
  it("are at most one at any moment through 20 turns, and gone within 30 s of the session's kill (PC-25)", async () => {
    world = await makeWorld("claude-code");
    await setUpClaude(world);
    const session = startClaude(world);
    await subscribe(world, session, "many turns");
    // One hook takes over from the one before, which needs as long as processes need here: it is waited for, and a second
    // one that stays, or none, waits in vain.
    const onlyOne = (turn: number): Promise<true> =>
      waitUntil(`exactly one waiter after turn ${turn}`, async () => (await waiters(world, 300)).length === 1, 60_000);
    await onlyOne(1);
    for (let turn = 2; turn <= 21; turn += 1) {
      session.say(`turn ${turn}`);
      await session.ended(turn);
      await onlyOne(turn);
    }

    kill(session.pid);
    await waitUntil("no waiter", async () => (await waiters(world)).length === 0, 30_000);
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
    // 300 ms where a session starts within a second, in proportion where the machine is slower.
    const limit = (withoutMs: number): number => Math.max(300, 0.3 * withoutMs);
    const { extraMs, limitMs } = await extraTime(
      () => start(bare),
      () => start({}),
      limit,
    );
    expect(extraMs).toBeLessThan(limitMs);
  });
});
