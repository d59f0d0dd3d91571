import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codexHome, openSubscribedEditor, startAppServer } from "./support/codex.ts";
import { commandLinesOf } from "./support/processes.ts";
import { waitUntil } from "./support/wait-until.ts";
import type { World } from "./support/world.ts";

function standIn(world: World, body: string): void {
  const path = join(world.bin, "codex");
  writeFileSync(path, `#!/bin/sh\nif [ "$1" = queue ]; then\n${body}\nfi\nexit 0\n`);
  chmodSync(path, 0o755);
}

async function pendingStates(world: World): Promise<readonly string[]> {
  return (await world.status()).pending.map((one) => one.state);
}

test("PC-24: a closed Codex conversation is not started; its wakes come in one turn, once, when it is opened again", async () => {
  const { world, editor, thread } = await openSubscribedEditor();
  await editor.close();
  expect(readdirSync(join(codexHome(world), "thread-writer-locks"))).not.toContain(`${thread}.lock`);

  const asked = world.model.requests.length;
  const first = await world.emit({ args: { job: "j1" }, payload: { status: "first" } });
  const second = await world.emit({ args: { job: "j1" }, payload: { status: "second" } });
  await waitUntil(
    "both wakes waiting for the conversation",
    async () => (await pendingStates(world)).join() === "conversation_closed,conversation_closed",
  );
  expect([await world.acks(first.id), await world.acks(second.id)]).toEqual([[], []]);
  expect(world.model.requests).toHaveLength(asked);
  expect(commandLinesOf(world.dir).filter((one) => /\bcodex (queue|exec|app-server)\b/.test(one.line))).toEqual([]);

  const reopened = await startAppServer(world);
  await reopened.openThread(thread);
  const request = await world.model.waitFor(first.id, { timeoutMs: 60_000 });
  expect(request.newest).toContain(first.id);
  expect(request.newest).toContain(second.id);
  await reopened.turn(thread, "anything else?");
  expect([world.model.timesSeen(first.id), world.model.timesSeen(second.id)]).toEqual([1, 1]);
  expect((await world.status()).pending).toEqual([]);
});

test("PC-24: a codex on the PATH that does nothing, or hangs, is never taken for a delivery", async () => {
  const { world, editor, thread } = await openSubscribedEditor();

  standIn(world, "exit 0");
  const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" } });
  await waitUntil("the failed attempt in the status", async () =>
    (await world.status()).pending.some((one) => one.state === "failed" && one.detail.includes("confirmed nothing")),
  );
  standIn(world, `echo started >> ${join(world.dir, "hung")}; sleep 600`);
  await waitUntil("an attempt that hangs", () => readdirSync(world.dir).includes("hung"), 40_000);
  expect((await world.status()).pending.map((one) => one.occurrence)).toEqual([id]);
  await waitUntil(
    "the hanging attempt given up",
    async () => (await world.status()).pending.some((one) => one.state === "failed" && one.detail.includes("no answer")),
    60_000,
  );
  expect(await world.acks(id)).toEqual([]);
  rmSync(join(world.bin, "codex"));

  await world.model.waitFor(id, { timeoutMs: 90_000 });
  await editor.turn(thread, "anything else?");
  expect(world.model.timesSeen(id)).toBe(1);
}, 240_000);
