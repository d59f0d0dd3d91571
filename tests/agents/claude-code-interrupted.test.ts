import { afterEach, describe, expect, it } from "vitest";
import type { World } from "./support/world.ts";
import { armed, setUpClaude, startClaude, subscribe, timesInTurns } from "./support/claude-code.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

afterEach(async () => {
  await world.close();
});

describe("an interrupted turn of Claude Code", { timeout: 180_000 }, () => {
  it("that had subscribed is woken all the same, although Stop didn't fire (PC-25)", async () => {
    world = await makeWorld("claude-code");
    await setUpClaude(world);
    const session = startClaude(world);
    session.say('#tool watch_crawl {"job":"cut"}\n#hold never');
    await world.model.waitFor("Watching crawl cut.");
    await world.subscribed(1);
    session.interrupt();
    await session.ended(1);
    expect(session.started.stdout).toContain("Request interrupted by user");
    const { id } = await world.emit({ args: { job: "cut" }, payload: { status: "done" } });
    const request = await world.model.waitFor(id);
    expect(request.withTools).toBe(true);
    world.model.release("never");
    await waitUntil("the wake in a turn", async () => timesInTurns(world, await session.id(), id) === 1);
  });

  it("that a wake had begun leaves a waiter behind: the next event wakes too", async () => {
    world = await makeWorld("claude-code");
    await setUpClaude(world);
    const session = startClaude(world);
    await subscribe(world, session, "twice");
    await armed(world);
    const first = await world.emit({ args: { job: "twice" }, payload: { status: "done" }, text: "first" });
    await waitUntil("the first wake in a turn", async () => timesInTurns(world, await session.id(), first.id) === 1);
    session.interrupt();
    await session.ended(2);
    await waitUntil("the first wake to be settled", async () => (await world.status()).pending.length === 0);
    const second = await world.emit({ args: { job: "twice" }, payload: { status: "done" }, text: "second" });
    await world.model.waitFor(second.id);
    await waitUntil("the second wake in a turn", async () => timesInTurns(world, await session.id(), second.id) === 1);
    expect(timesInTurns(world, await session.id(), first.id)).toBe(1);
  });
});
