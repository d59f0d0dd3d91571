import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { routeText } from "@wakeshift/protocol";
import { event, put } from "../exercise/apps.ts";
import { DAY, World, hashOf } from "../exercise/world.ts";
import { openTemporaryStore } from "./temporary-store.ts";

const place = { app: "app_a", event: "a.one", required: { job: "1" } };
const [shared, annas] = [hashOf(routeText(place)), hashOf(routeText({ ...place, user: "anna" }))];

test("an event that is made personal and shared for ever leaves no more behind than what is kept of its occurrences", async () => {
  const opened = await openTemporaryStore();
  const world = await World.open(() => Promise.resolve(opened));
  onTestFinished(() => world.close());
  const rows = (): number => {
    const database = new Database(opened.path, { readonly: true });
    const count = database.prepare<[], number>("SELECT count(*) FROM moves").pluck().get();
    database.close();
    return count ?? 0;
  };
  const flip = async (turn: number): Promise<void> => {
    await put(world, [event("a.one", { access: [turn % 2 === 0 ? "personal" : "public"] })]);
    await world.emit(`another event's ${turn}`);
  };
  await put(world, [event("a.one", { access: ["public"] })]);
  const anna = await world.subscribed({ event: "a.one", user: "anna", route: shared });
  for (let turn = 0; turn < 100; turn += 1) await flip(turn);
  expect(rows()).toBe(1);
  for (let turn = 0; turn < 20; turn += 1) {
    await flip(turn);
    await world.emit(`anna's ${turn}`, { event: "a.one", routes: [turn % 2 === 0 ? annas : shared] });
    await flip(turn);
    await flip(turn + 1);
    await flip(turn);
  }
  expect(rows()).toBeLessThanOrEqual(41);
  const ids = Array.from({ length: 20 }, (_, turn) => `anna's ${turn}`);
  expect(await world.claim(anna, "taker", 50)).toEqual(ids);
  world.clock.advance(2 * DAY);
  while (await world.store.prune(world.clock.now(), DAY));
  await flip(0);
  await flip(1);
  await flip(0);
  expect(rows()).toBeLessThanOrEqual(2);
});
