import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Started } from "./support/processes.ts";
import type { World } from "./support/world.ts";
import { runClaude, setUpClaude, timesInTurns } from "./support/claude-code.ts";
import { extraTime } from "./support/extra-time.ts";
import { recordLatency } from "./support/latency.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

beforeEach(async () => {
  world = await makeWorld("claude-code");
  await setUpClaude(world);
});

afterEach(async () => {
  await world.close();
});

const sessionOf = (run: Started): string => (JSON.parse(run.stdout) as { readonly session_id: string }).session_id;

async function timed(run: Started): Promise<number> {
  const from = performance.now();
  expect(await run.ended).toBe(0);
  return performance.now() - from;
}

describe("claude -p", { timeout: 400_000 }, () => {
  it("that subscribed is held for the event, and handed it as a further turn of the same run (PC-25)", async () => {
    const run = runClaude(world, '#tool watch_crawl {"job":"held","once":true}');
    await world.model.waitFor("Watching crawl held.", { timeoutMs: 60_000 });
    await world.subscribed(1);
    expect(run.child.exitCode).toBeNull();
    const sent = performance.now();
    const { id, matched } = await world.emit({ args: { job: "held" }, payload: { status: "done" }, text: "Crawl held ended" });
    expect(matched).toBe(1);
    const request = await world.model.waitFor(id);
    recordLatency("claude-code", "claude -p, held by Stop", request.at - sent);
    expect(request.text).toContain("> Crawl held ended");
    expect(await run.ended).toBe(0);
    expect(timesInTurns(world, sessionOf(run), id)).toBe(1);
    expect(world.model.timesSeen(`occurrence ${id},`)).toBe(1);
  });

  it("that subscribed to several occurrences is handed each as it comes", async () => {
    await world.cli(["set", "unattended-wait", "20s"]);
    const run = runClaude(world, '#tool watch_crawl {"job":"many"}');
    await world.model.waitFor("Watching crawl many.", { timeoutMs: 60_000 });
    await world.subscribed(1);
    const ids: string[] = [];
    for (const pages of [1, 2, 3]) {
      const { id } = await world.emit({ args: { job: "many" }, payload: { status: "done", pages } });
      await world.model.waitFor(id);
      ids.push(id);
    }
    expect(await run.ended).toBe(0);
    for (const id of ids) expect(timesInTurns(world, sessionOf(run), id)).toBe(1);
  });

  it("that subscribed is never held longer than the user's unattended-wait (PC-25)", async () => {
    await world.cli(["set", "unattended-wait", "3s"]);
    const run = runClaude(world, '#tool watch_crawl {"job":"patience"}');
    await world.model.waitFor("Watching crawl patience.", { timeoutMs: 60_000 });
    await waitUntil("the run to end by itself", () => run.child.exitCode === 0, 120_000);
  });

  it("without a subscription ends at once although the hooks are installed, and starts no bridge (PC-25)", async () => {
    const bare = { CLAUDE_CONFIG_DIR: `${world.home}/bare` };
    await timed(runClaude(world, "warm up", { env: bare }));
    const run = (env: NodeJS.ProcessEnv): Promise<number> =>
      timed(runClaude(world, '#tool Bash {"command":"true","description":"d"}', { env }));
    // 2 s where a run takes up to two, in proportion where the machine is slower.
    const { extraMs, limitMs } = await extraTime(
      () => run(bare),
      () => run({}),
      (withoutMs) => Math.max(2_000, withoutMs),
    );
    expect(extraMs).toBeLessThan(limitMs);
    expect((await world.cli(["status", "--json"])).stdout).not.toContain('"pid"');
  });

  it("that has ended is continued where the user lets unattended runs be resumed", async () => {
    await world.cli(["set", "unattended-wait", "1s"]);
    await world.cli(["set", "resume", "unattended"]);
    const run = runClaude(world, '#tool watch_crawl {"job":"later"}');
    expect(await run.ended).toBe(0);
    await world.subscribed(1);
    const sent = performance.now();
    const { id } = await world.emit({ args: { job: "later" }, payload: { status: "done" } });
    const request = await world.model.waitFor(id, { timeoutMs: 60_000 });
    recordLatency("claude-code", "claude -p --resume", request.at - sent);
    await waitUntil("nothing to be pending", async () => (await world.status()).pending.length === 0);
    expect(timesInTurns(world, sessionOf(run), id)).toBe(1);
  });

  it("that has ended is not continued otherwise: the wake comes with the next run that resumes it, as a further turn (PC-24)", async () => {
    await world.cli(["set", "unattended-wait", "1s"]);
    const run = runClaude(world, '#tool watch_crawl {"job":"ended","once":true}');
    expect(await run.ended).toBe(0);
    await world.subscribed(1);
    const { id } = await world.emit({ args: { job: "ended" }, payload: { status: "done" } });
    await waitUntil("the wake to be pending", async () =>
      (await world.status()).pending.some((one) => one.occurrence === id && one.state === "conversation_closed"),
    );
    const again = runClaude(world, "where were we", { resume: sessionOf(run) });
    await world.model.waitFor(id);
    expect(await again.ended).toBe(0);
    expect(timesInTurns(world, sessionOf(run), id)).toBe(1);
    await waitUntil("nothing to be pending", async () => (await world.status()).pending.length === 0);
  });
});
