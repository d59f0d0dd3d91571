import { expect, onTestFinished, test } from "vitest";
import { hashOf, World } from "../exercise/world.ts";
import { openTemporaryStore } from "./temporary-store.ts";

const RED = { filter: '{"color":"red"}', replaySince: 0 };
const AT_ONCE = 1_000;

async function setup(): Promise<{ world: World; emitBlue: (from: number, to: number) => Promise<void> }> {
  const world = await World.open(openTemporaryStore);
  onTestFinished(() => world.close());
  const emitBlue = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, to - n) }, (_, i) => world.emit(`blue-${n + i}`, { payload: '{"color":"blue"}' })),
      );
  };
  await world.emit("red", { payload: '{"color":"red"}' });
  return { world, emitBlue };
}

test("while a replay is searched for behind five thousand occurrences, one write after the other goes through", async () => {
  const { world, emitBlue } = await setup();
  await emitBlue(0, 5_000);
  let searching = true;
  const subscribing = world.subscribe(RED).finally(() => (searching = false));
  let written = 0;
  for (; searching; written += 1) await world.emit(`other-${written}`, { routes: [hashOf("elsewhere")] });
  expect((await subscribing).kind).toBe("created");
  // A write waits for one page at most, of fifty; were they one, it would have waited for all of them.
  expect(written).toBeGreaterThan(20);
});

test(
  "a replay is searched for among the newest twenty thousand occurrences of its route, and no further",
  { timeout: 120_000 },
  async () => {
    const { world, emitBlue } = await setup();
    await emitBlue(0, 19_999);
    expect(await world.claim(await world.subscribed(RED), "taker", 1)).toEqual(["red"]);
    await emitBlue(19_999, 20_000);
    const late = await world.subscribed(RED);
    expect(await world.claim(late)).toEqual([]);
    await world.emit("red again", { payload: '{"color":"red"}' });
    expect(await world.claim(late)).toEqual(["red again"]);
  },
);
