import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { World } from "./support/world.ts";
import {
  PATIENCE_MS,
  TEST_MS,
  asked,
  setUpOpencode,
  startOpencode,
  subscribe,
  subscribersOf,
  wakesAmong,
} from "./support/opencode-server.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

afterEach(async () => {
  await world.close();
});

/** A second plugin of the user: writes down which process a prompt of ours runs in, and refuses as many of them as the file `refuse` says. */
const WITNESS = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const folder = process.env.WITNESS;
export const Witness = async () => ({
  "chat.message": async (input, output) => {
    if (!output.parts.some((part) => part.type === "text" && part.text.startsWith("[Wakeshift]"))) return;
    const left = existsSync(folder + "/refuse") ? Number(readFileSync(folder + "/refuse", "utf8")) : 0;
    appendFileSync(folder + "/prompts", JSON.stringify({ pid: process.pid, session: input.sessionID, refused: left > 0 }) + "\\n");
    if (left === 0) return;
    writeFileSync(folder + "/refuse", String(left - 1));
    throw new Error("refused by the test");
  },
});
`;

describe("two opencode processes on one data folder (PC-27)", { timeout: TEST_MS }, () => {
  it("only the one that has the conversation prompts; each of 5 quick emits during its turn shows once; a prompt that fails after its 204 isn't acked, and comes again", async () => {
    world = await makeWorld("opencode");
    await setUpOpencode(world);
    const witness = join(world.dir, "witness");
    mkdirSync(witness);
    writeFileSync(join(world.home, ".config", "opencode", "plugins", "witness.js"), WITNESS);
    const env = { WITNESS: witness };
    const prompts = (): { pid: number; session: string; refused: boolean }[] => {
      try {
        return readFileSync(join(witness, "prompts"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { pid: number; session: string; refused: boolean });
      } catch {
        return [];
      }
    };
    const owner = await startOpencode(world, { env });
    const other = await startOpencode(world, { env });
    const session = await owner.open();

    // The other process has its own conversation, subscribed to something else, so that its helper runs too.
    const elsewhere = await other.open();
    await subscribe(world, other, elsewhere, "elsewhere");
    await owner.say(session, '#tool watch_crawl {"job":"two"}\n#hold turn');
    await asked(world, "Watching crawl two.");
    await waitUntil("the bridge to hold it", async () => (await subscribersOf(world, "two")).includes(session), PATIENCE_MS);

    const emitted = await Promise.all(
      [1, 2, 3, 4, 5].map((pages) => world.emit({ args: { job: "two" }, payload: { status: "done", pages } })),
    );
    const ids = emitted.map(({ id }) => id);
    await waitUntil(
      "all five to stand in the conversation",
      async () => {
        const text = wakesAmong(await owner.messages(session))
          .map((message) => message.text)
          .join("\n");
        return ids.every((id) => text.includes(id));
      },
      PATIENCE_MS,
    );
    world.model.release("turn");
    for (const id of ids) await asked(world, id);
    await owner.idle(session);
    const shown = wakesAmong(await owner.messages(session))
      .map((message) => message.text)
      .join("\n");
    for (const id of ids) {
      expect(shown.split(`occurrence ${id},`)).toHaveLength(2);
      expect(world.model.timesSeen(`occurrence ${id},`)).toBe(1);
    }
    expect(new Set(prompts().map((one) => one.pid)).size).toBe(1);
    expect(prompts().every((one) => one.session === session)).toBe(true);
    await waitUntil("nothing to be pending", async () => (await world.status()).pending.length === 0, PATIENCE_MS);

    writeFileSync(join(witness, "refuse"), "1");
    const before = prompts().length;
    const failing = await world.emit({ args: { job: "two" }, payload: { status: "failed" } });
    await waitUntil(
      "a refused prompt",
      () =>
        prompts()
          .slice(before)
          .some((one) => one.refused),
      PATIENCE_MS,
    );
    expect((await world.status()).pending.map((one) => one.occurrence)).toEqual([failing.id]);
    expect(await world.acks(failing.id)).toEqual([]);
    await asked(world, failing.id);
    await owner.idle(session);
    expect(wakesAmong(await owner.messages(session)).filter((message) => message.text.includes(failing.id))).toHaveLength(1);
    expect(
      prompts()
        .slice(before)
        .map((one) => one.refused),
    ).toEqual([true, false]);
    expect(new Set(prompts().map((one) => one.pid)).size).toBe(1);
  });

  it("the one that stays in use has the conversation: it moves with its user", async () => {
    world = await makeWorld("opencode");
    await setUpOpencode(world);
    const first = await startOpencode(world);
    const second = await startOpencode(world);
    const session = await first.open();
    await subscribe(world, first, session, "moves");
    await second.say(session, "I go on over here");
    await asked(world, "I go on over here");
    await second.idle(session);
    await first.stop();
    const { id } = await world.emit({ args: { job: "moves" }, payload: { status: "done" } });
    await asked(world, id);
    await second.idle(session);
    expect(wakesAmong(await second.messages(session))).toHaveLength(1);
  });
});
