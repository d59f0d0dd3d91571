import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CODEX_ENV, codexExec, codexHome, execThread, openCodexWorld, startAppServer, watch } from "./support/codex.ts";
import { recordLatency } from "./support/latency.ts";
import { commandLinesOf, kill } from "./support/processes.ts";
import { waitUntil } from "./support/wait-until.ts";
import type { World } from "./support/world.ts";

/** With the model's key in its environment: the first command starts the bridge, whose environment a resumed run gets. */
async function set(world: World, key: string, value: string): Promise<void> {
  expect((await world.cli(["set", key, value], { env: CODEX_ENV })).code).toBe(0);
}

/** What Codex ran a hook of ours for last. */
function lastHookEvent(world: World): string {
  const path = join(world.wakeshiftHome, "hook-runs", "codex.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { readonly event: string }).event : "";
}

function rolloutOf(world: World, thread: string): string {
  const sessions = join(codexHome(world), "sessions");
  if (!existsSync(sessions)) return "";
  const file = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((name) => name.includes(thread));
  return file === undefined ? "" : readFileSync(join(sessions, file), "utf8");
}

test("a codex exec run that subscribed is held for its event and handed it in the same run", async () => {
  const world = await openCodexWorld();
  const run = codexExec(world, watch("j1", true));
  await world.subscribed(1);
  await waitUntil("the first turn's answer", () => run.stdout.includes("DONE[1]"));
  const sent = performance.now();
  const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" } });
  const request = await world.model.waitFor(id);
  recordLatency("codex", "exec run held by its Stop hook", request.at - sent);
  expect(await run.ended).toBe(0);
  expect(world.model.timesSeen(id)).toBe(1);
  expect((await world.status()).pending).toEqual([]);
});

test("a codex exec run that subscribed to nothing ends at once although the hooks are installed", async () => {
  const world = await openCodexWorld();
  const started = performance.now();
  const run = codexExec(world, "hello");
  expect(await run.ended).toBe(0);
  expect(performance.now() - started).toBeLessThan(90_000);
  expect(readdirSync(world.wakeshiftHome)).not.toContain("bridge.sock");
});

test("a held run is handed several events, one after the other, and ends when its time is over", async () => {
  const world = await openCodexWorld();
  await set(world, "unattended-wait", "8s");
  const run = codexExec(world, watch("j1"));
  await world.subscribed(1);
  const first = await world.emit({ args: { job: "j1" }, payload: { status: "first" } });
  await world.model.waitFor(first.id);
  const second = await world.emit({ args: { job: "j1" }, payload: { status: "second" } });
  await world.model.waitFor(second.id);
  expect(await run.ended).toBe(0);
  expect([world.model.timesSeen(first.id), world.model.timesSeen(second.id)]).toEqual([1, 1]);
});

test("PC-23: a codex exec run is never queued to; what comes after it waits for a resumed turn that holds it exactly once", async () => {
  const world = await openCodexWorld();
  await set(world, "unattended-wait", "1s");
  const run = codexExec(world, `${watch("j1")}\n#hold turn`);
  const thread = await execThread(run);
  await world.subscribed(1);
  const during = await world.emit({ args: { job: "j1" }, payload: { status: "during" } });
  world.model.release("turn");
  await world.model.waitFor(during.id);
  expect(await run.ended).toBe(0);
  const after = await world.emit({ args: { job: "j1" }, payload: { status: "after" } });
  await waitUntil("the wake in the status", async () =>
    (await world.status()).pending.some((one) => one.occurrence === after.id && one.state === "conversation_closed"),
  );
  expect([await world.acks(during.id), await world.acks(after.id)]).toEqual([[expect.any(Number)], []]);
  expect(rolloutOf(world, thread)).toContain(during.id);
  expect(rolloutOf(world, thread)).not.toContain('"turn_trigger":"queue"');
  expect(world.model.requests.some((one) => one.text.includes(after.id))).toBe(false);

  const resumed = world.run("codex", ["exec", "resume", "--json", "--skip-git-repo-check", thread, "go on"], { env: CODEX_ENV });
  await world.model.waitFor(after.id);
  expect(await resumed.ended).toBe(0);
  await waitUntil("nothing pending any more", async () => (await world.status()).pending.length === 0);
  expect([world.model.timesSeen(during.id), world.model.timesSeen(after.id)]).toEqual([1, 1]);
  expect(rolloutOf(world, thread)).not.toContain('"turn_trigger":"queue"');
});

test("a wake that a held run was handed is acked only once the run's own record shows it", async () => {
  const world = await openCodexWorld();
  const run = codexExec(world, watch("j1", true));
  await world.subscribed(1);
  const codex = (): number[] => commandLinesOf(world.dir).flatMap(({ pid, line }) => (/codex\S* exec /.test(line) ? [pid] : []));
  await waitUntil("the Stop hook, which has read its input", () => lastHookEvent(world) === "Stop");
  for (const pid of codex()) kill(pid, "SIGSTOP");
  const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" } });
  await waitUntil("the hook to take the wake", async () =>
    (await world.status()).pending.some((one) => one.occurrence === id && one.state === "leased"),
  );
  await waitUntil("the hook's end", () => !commandLinesOf(world.dir).some(({ line }) => / hook codex Stop/.test(line)));
  expect(await world.acks(id)).toEqual([]);
  const continuedAt = Date.now();
  for (const pid of codex()) kill(pid, "SIGCONT");
  await world.model.waitFor(id);
  expect(await run.ended).toBe(0);
  const [ackedAt] = await waitUntil("its ack", async () => {
    const acks = await world.acks(id);
    return acks.length === 1 && acks;
  });
  expect(ackedAt).toBeGreaterThanOrEqual(continuedAt);
});

test("PC-23: a person's conversation that codex exec resume continues is not queued to either", async () => {
  const world = await openCodexWorld();
  await set(world, "unattended-wait", "30s");
  const editor = await startAppServer(world);
  const thread = await editor.startThread();
  await editor.turn(thread, watch("j1", true));
  await world.subscribed(1);
  await editor.close();
  const resumed = world.run("codex", ["exec", "resume", "--json", "--skip-git-repo-check", thread, "go on\n#hold turn"], {
    env: CODEX_ENV,
  });
  await world.model.waitFor("go on");
  const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" } });
  await waitUntil("the wake to wait for the run", async () => (await world.status()).pending.some((one) => one.occurrence === id));
  world.model.release("turn");
  await world.model.waitFor(id);
  expect(await resumed.ended).toBe(0);
  expect(rolloutOf(world, thread)).toContain(id);
  expect(rolloutOf(world, thread)).not.toContain('"turn_trigger":"queue"');
  expect(world.model.timesSeen(id)).toBe(1);
});

test("PC-23: emits in the last second of a run are lost in no case", async () => {
  const world = await openCodexWorld();
  await set(world, "unattended-wait", "1s");
  const run = codexExec(world, watch("j1"));
  const thread = await execThread(run);
  await world.subscribed(1);
  await waitUntil("the first turn's answer", () => run.stdout.includes("DONE[1]"));
  const ids: string[] = [];
  const until = performance.now() + 1_600;
  while (performance.now() < until) {
    ids.push((await world.emit({ args: { job: "j1" }, payload: { n: ids.length, status: "late" } })).id);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await run.ended;
  const resumed = world.run("codex", ["exec", "resume", "--json", "--skip-git-repo-check", thread, "go on"], { env: CODEX_ENV });
  for (const id of ids) await world.model.waitFor(id, { timeoutMs: 60_000 });
  await resumed.ended;
  expect(ids.map((id) => world.model.timesSeen(id))).toEqual(ids.map(() => 1));
});

test("with resume on, an ended codex exec run is continued with its event", async () => {
  const world = await openCodexWorld();
  await set(world, "unattended-wait", "500ms");
  await set(world, "resume", "unattended");
  const run = codexExec(world, watch("j1", true));
  await world.subscribed(1);
  expect(await run.ended).toBe(0);
  const sent = performance.now();
  const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" } });
  const request = await world.model.waitFor(id, { timeoutMs: 40_000 });
  recordLatency("codex", "ended exec run, resumed", request.at - sent);
  await waitUntil("nothing pending any more", async () => (await world.status()).pending.length === 0);
  expect(world.model.timesSeen(id)).toBe(1);
});
