import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codexExec, openCodexWorld, openSubscribedEditor, watch } from "./support/codex.ts";
import { LITERAL_TEXTS } from "./support/literal-texts.ts";
import { waitUntil } from "./support/wait-until.ts";

const TEXTS = LITERAL_TEXTS.map(([, text]) => text);

test("PC-28: text that looks like options, commands or several lines arrives literally, in one turn, and runs nothing", async () => {
  const { world, editor, thread } = await openSubscribedEditor();
  // Each in a conversation of its own: Codex looks for queued messages every ten seconds, for all of them at once.
  const threads: string[] = [];
  for (const index of TEXTS.keys()) {
    const own = await editor.startThread();
    await editor.turn(own, watch(`text-${String(index)}`));
    await world.subscribed(index + 2);
    threads.push(own);
  }
  const arrives = async (own: string, index: number, text: string): Promise<void> => {
    const turns = editor.turnsEnded(own);
    const { id } = await world.emit({ args: { job: `text-${String(index)}` }, payload: { status: "done", pages: index }, text });
    const request = await world.model.waitFor(id);
    for (const line of text.split("\n")) expect(request.newest.split("\n")).toContain(`> ${line}`);
    await waitUntil("the wake's turn to end", () => editor.turnsEnded(own) === turns + 1);
    expect(world.model.timesSeen(id)).toBe(1);
  };
  const turnsBefore = editor.turnsEnded(thread);
  await Promise.all(threads.map((own, index) => arrives(own, index, TEXTS[index] ?? "")));
  expect(editor.turnsEnded(thread)).toBe(turnsBefore);
  const big = await world.emit({ args: { job: "j1" }, payload: { status: "done", detail: "x".repeat(262_100) }, text: "big" });
  const request = await world.model.waitFor(big.id);
  expect(Buffer.byteLength(request.newest)).toBeLessThanOrEqual(8 * 1024);
  expect(request.newest).toContain(`wakeshift show ${big.id}`);
  for (const folder of [world.work, world.home, world.dir]) expect(existsSync(join(folder, "pwned"))).toBe(false);
}, 240_000);

test("PC-28: an exec run gets the same text through its Stop hook, literally but for the marks Codex escapes", async () => {
  const world = await openCodexWorld();
  const run = codexExec(world, watch("j1", true));
  await world.subscribed(1);
  const text = TEXTS.join("\n");
  const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" }, text });
  const request = await world.model.waitFor(id);
  for (const line of text.split("\n")) expect(request.newest.split("\n")).toContain(`&gt; ${line}`);
  expect(await run.ended).toBe(0);
  for (const folder of [world.work, world.home, world.dir]) expect(existsSync(join(folder, "pwned"))).toBe(false);
});
