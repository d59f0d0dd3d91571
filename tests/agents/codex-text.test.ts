import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codexExec, setUpCodex, startAppServer, watch } from "./support/codex.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

const TEXTS = ["--help", "-", "$(touch pwned) `touch pwned`", '%PATH% "; x', "one\ntwo\nthree", "\u{1F468}‍\u{1F469}‍\u{1F467}"];

test("PC-28: text that looks like options, commands or several lines arrives literally, in one turn, and runs nothing", async () => {
  const world = await makeWorld("codex");
  onTestFinished(() => world.close());
  await setUpCodex(world);
  const editor = await startAppServer(world);
  const thread = await editor.startThread();
  await editor.turn(thread, watch("j1"));
  await world.subscribed(1);
  for (const [index, text] of TEXTS.entries()) {
    const turns = editor.turnsEnded(thread);
    const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done", pages: index }, text });
    const request = await world.model.waitFor(id);
    for (const line of text.split("\n")) expect(request.newest.split("\n")).toContain(`> ${line}`);
    await waitUntil("the wake's turn to end", () => editor.turnsEnded(thread) === turns + 1);
    expect(world.model.timesSeen(id)).toBe(1);
  }
  const big = await world.emit({ args: { job: "j1" }, payload: { status: "done", detail: "x".repeat(262_100) }, text: "big" });
  const request = await world.model.waitFor(big.id);
  expect(Buffer.byteLength(request.newest)).toBeLessThanOrEqual(8 * 1024);
  expect(request.newest).toContain(`wakeshift show ${big.id}`);
  for (const folder of [world.work, world.home, world.dir]) expect(existsSync(join(folder, "pwned"))).toBe(false);
}, 240_000);

test("PC-28: an exec run gets the same text through its Stop hook, literally but for the marks Codex escapes", async () => {
  const world = await makeWorld("codex");
  onTestFinished(() => world.close());
  await setUpCodex(world);
  const run = codexExec(world, watch("j1", true));
  await world.subscribed(1);
  const text = TEXTS.join("\n");
  const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" }, text });
  const request = await world.model.waitFor(id);
  for (const line of text.split("\n")) expect(request.newest.split("\n")).toContain(`&gt; ${line}`);
  expect(await run.ended).toBe(0);
  for (const folder of [world.work, world.home, world.dir]) expect(existsSync(join(folder, "pwned"))).toBe(false);
});
