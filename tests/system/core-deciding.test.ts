import { expect, test } from "vitest";
import { CRAWL, emit, objectSchema, SDK, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";

const HOLDER = "holder-of-this-test";
const SHARED = { ...CRAWL, access: ["public"] };
const PERSONAL = { ...CRAWL, access: ["personal"] };

async function publish(world: CoreWorld, event: object): Promise<void> {
  expect((await world.app.call("PUT", "/manifest", { sdk: SDK, events: [event] })).status).toBe(200);
}

/** Lets the next write of this kind wait until `first` is done: by then the write is decided, and not yet asked of the store. */
function justBefore(world: CoreWorld, method: "emit" | "subscribe", first: () => Promise<void>): void {
  const { store } = world.core;
  const real = store[method].bind(store) as (input: never) => Promise<never>;
  Object.assign(store, {
    [method]: async (input: never): Promise<never> => {
      Object.assign(store, { [method]: real });
      await first();
      return real(input);
    },
  });
}

/** What each of these subscriptions is handed. */
async function woken(world: CoreWorld, ...tickets: readonly string[]): Promise<readonly string[][]> {
  const answers = tickets.map(async (ticket) => {
    const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket], wait_ms: 0 });
    return (body.wakes as { readonly occurrence: string }[]).map((wake) => wake.occurrence);
  });
  return Promise.all(answers);
}

test("a subscribe that is decided in the instant its event becomes personal gets what its user gets, or is told that it needs one", async () => {
  const world = await startWorld({}, [SHARED]);
  justBefore(world, "subscribe", () => publish(world, PERSONAL));
  const ada = await subscribe(world.app, {}, { user: "ada" });
  const hers = await emit(world.app, { to: "ada" });
  await emit(world.app, { to: "bob" });
  expect(await woken(world, ada.ticket)).toEqual([[hers]]);

  await publish(world, SHARED);
  justBefore(world, "subscribe", () => publish(world, PERSONAL));
  await expect(subscribe(world.app)).rejects.toThrow("user_required");
});

test("an emit that is decided in the instant its event becomes shared is told to name no user; one that becomes personal is told to name one", async () => {
  const world = await startWorld({}, [PERSONAL]);
  const ada = await subscribe(world.app, {}, { user: "ada" });
  justBefore(world, "emit", () => publish(world, SHARED));
  await expect(emit(world.app, { to: "ada" })).rejects.toThrow("to_refused");
  const bob = await subscribe(world.app, {}, { user: "bob" });
  const shared = await emit(world.app);
  justBefore(world, "emit", () => publish(world, PERSONAL));
  await expect(emit(world.app)).rejects.toThrow("to_required");
  const hers = await emit(world.app, { to: "ada" });
  expect(await woken(world, ada.ticket, bob.ticket)).toEqual([[hers], [shared]]);
});

test("a subscribe and an emit that are decided in the instant in which fewer arguments are required meet on the new route", async () => {
  const wide = { ...CRAWL, arguments: objectSchema({ job: { type: "string" }, site: { type: "string" } }, ["site"]) };
  const narrow = { ...CRAWL, arguments: objectSchema({ job: { type: "string" }, site: { type: "string" } }) };
  const request = { arguments: { job: "a", site: "s" } };
  const world = await startWorld({}, [narrow]);
  justBefore(world, "subscribe", () => publish(world, wide));
  const { ticket } = await subscribe(world.app, request);
  const first = await emit(world.app, request);
  expect(await woken(world, ticket)).toEqual([[first]]);

  await publish(world, narrow);
  const anew = await subscribe(world.app, { arguments: { job: "b", site: "s" } });
  await publish(world, wide);
  const other = await subscribe(world.app, { arguments: { job: "c", site: "s" } });
  await publish(world, narrow);
  justBefore(world, "emit", () => publish(world, wide));
  const second = await emit(world.app, { arguments: { job: "c", site: "s" } });
  expect(await woken(world, anew.ticket, other.ticket)).toEqual([[], [second]]);
});

test("an event that changes at every try is given up with an error that is safe to try again, and nothing is written", async () => {
  const world = await startWorld({}, [SHARED]);
  let turn = 0;
  const again = (): void =>
    justBefore(world, "emit", async () => {
      turn += 1;
      await publish(world, { ...SHARED, description: `Turn ${turn}` });
      again();
    });
  const { ticket } = await subscribe(world.app);
  again();
  await expect(emit(world.app)).rejects.toThrow("not emitted: 500");
  expect(turn).toBe(5);
  expect(await woken(world, ticket)).toEqual([[]]);
});
