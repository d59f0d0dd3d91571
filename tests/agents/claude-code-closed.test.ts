import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ClaudeSession } from "./support/claude-code.ts";
import type { World } from "./support/world.ts";
import { armed, setUpClaude, startClaude, subscribe, timesInTurns, transcript, waiters } from "./support/claude-code.ts";
import { commandLinesOf, kill } from "./support/processes.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

afterEach(async () => {
  await world.close();
});

async function subscribed(job: string): Promise<{ session: ClaudeSession; id: string }> {
  world = await makeWorld("claude-code");
  await setUpClaude(world);
  const session = startClaude(world);
  await subscribe(world, session, job);
  await armed(world);
  return { session, id: await session.id() };
}

async function pending(ids: readonly string[]): Promise<readonly { occurrence: string; state: string; detail: string }[]> {
  return await waitUntil("the wakes to be pending at the bridge", async () => {
    const found = (await world.status()).pending.filter((one) => ids.includes(one.occurrence));
    return found.length === ids.length ? found : undefined;
  });
}

const claudes = (): readonly string[] =>
  commandLinesOf(world.dir)
    .map(({ line }) => line)
    .filter((line) => /(^|\/)claude(\.exe)? /.test(line));

/** Puts a stand-in for `claude` first on the PATH of whatever the bridge starts. It notes that it was called. */
function standIn(body: string): string {
  const path = join(world.bin, "claude");
  writeFileSync(path, `#!/bin/sh\necho "$*" >> "${world.dir}/called"\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const called = (): string => (existsSync(join(world.dir, "called")) ? readFileSync(join(world.dir, "called"), "utf8") : "");

describe("a closed Claude Code", { timeout: 180_000 }, () => {
  it.each([
    ["its process killed", (session: ClaudeSession): void => kill(session.pid)],
    ["ended by itself", (session: ClaudeSession): void => void session.started.child.stdin?.end()],
  ] as const)(
    "%s: nothing is started, no status says more than queued, and opened again both occurrences come in one wake, once (PC-24)",
    async (_, end) => {
      const { session, id } = await subscribed("closed");
      if (_ === "ended by itself") await world.cli(["set", "unattended-wait", "1s"]);
      end(session);
      await session.started.ended;
      standIn("exit 0");
      const emitted = [];
      for (const pages of [1, 2]) emitted.push((await world.emit({ args: { job: "closed" }, payload: { status: "done", pages } })).id);
      for (const one of await pending(emitted)) {
        expect(["queued", "conversation_closed", "no_taker"]).toContain(one.state);
        expect(await world.acks(one.occurrence)).toEqual([]);
      }
      expect(claudes()).toEqual([]);
      expect(called()).toBe("");

      rmSync(join(world.bin, "claude"));
      const again = startClaude(world, { resume: id });
      for (const occurrence of emitted) await world.model.waitFor(occurrence);
      await again.ended(1);
      for (const occurrence of emitted) expect(timesInTurns(world, id, occurrence)).toBe(1);
      expect(
        transcript(world, id).filter((line) => line["type"] === "user" && JSON.stringify(line).includes("[Wakeshift] 2 occurrences")),
      ).toHaveLength(1);
      await waitUntil("nothing to be pending", async () => (await world.status()).pending.length === 0);
    },
  );

  it("killed between the waiter's end and the turn: the wake comes when it is opened again, once (PC-24)", async () => {
    const { session, id } = await subscribed("lost");
    kill(session.pid, "SIGSTOP");
    const { id: occurrence } = await world.emit({ args: { job: "lost" }, payload: { status: "done" } });
    await waitUntil("the waiter to take the wake", async () =>
      (await world.status()).pending.some((one) => one.occurrence === occurrence && one.state === "leased"),
    );
    await waitUntil("the waiter's end", async () => (await waiters(world, 50)).length === 0);
    expect(await world.acks(occurrence)).toEqual([]);
    kill(session.pid);
    await session.started.ended;
    const reopenedAt = Date.now();
    const again = startClaude(world, { resume: id });
    await world.model.waitFor(occurrence, { timeoutMs: 60_000 });
    await again.ended(1);
    const [ackedAt] = await waitUntil("its ack", async () => {
      const acks = await world.acks(occurrence);
      return acks.length === 1 && acks;
    });
    expect(ackedAt).toBeGreaterThanOrEqual(reopenedAt);
    expect(timesInTurns(world, id, occurrence)).toBe(1);
  });

  it("allowed to be resumed: a command that exits 0 and does nothing, or hangs, is never reported as delivered (PC-24)", async () => {
    const { session } = await subscribed("stand-in");
    await world.cli(["set", "resume", "always"]);
    standIn("exit 0");
    kill(session.pid);
    await session.started.ended;
    const { id: first } = await world.emit({ args: { job: "stand-in" }, payload: { status: "done" } });
    await waitUntil("the stand-in to be called", () => called().includes("--resume"), 60_000);
    await waitUntil("the attempt to have failed", async () =>
      (await world.status()).pending.some((one) => one.occurrence === first && one.state === "failed"),
    );
    standIn("sleep 600");
    const before = called().split("\n").length;
    await waitUntil("the next attempt", () => called().split("\n").length > before, 60_000);
    for (const one of await pending([first])) expect(["queued", "leased", "failed"]).toContain(one.state);
    expect(await world.acks(first)).toEqual([]);
  });

  it("allowed to be resumed: continues for one turn with the wake, and ends (PC-28)", async () => {
    const { session, id } = await subscribed("resume");
    await world.cli(["set", "resume", "always"]);
    kill(session.pid);
    await session.started.ended;
    const { id: occurrence } = await world.emit({ args: { job: "resume" }, payload: { status: "done" }, text: "--help" });
    const request = await world.model.waitFor(occurrence, { timeoutMs: 60_000 });
    expect(request.text).toContain("> --help");
    await waitUntil("nothing to be pending", async () => (await world.status()).pending.length === 0);
    await waitUntil("the run to have ended", () => claudes().length === 0);
    expect(timesInTurns(world, id, occurrence)).toBe(1);
  });
});
