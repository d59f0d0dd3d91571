import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { parseAppKey } from "@wakeshift/protocol";
import { createHash, createPrivateKey, createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { AppClient } from "./core-support/core-client.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";

const NAMES = ["order.changed", "order.paid", "order.lost"] as const;
const SCHEMAS = { args: z.object({ order: z.string() }), payload: z.object({ status: z.string() }) };

/** An app whose events an SDK from before the access rule has published, with subscriptions by a tool and by subscribe_events. */
async function olderApp() {
  const world = closedAfterTest(await startCoreWorld());
  const older = new AppClient(world.core.url, world.key, keyIdOf(world.key));
  const schema = (field: string): object => ({ type: "object", properties: { [field]: { type: "string" } }, required: [field] });
  const events = NAMES.map((name) => ({
    name,
    description: "An order changed",
    arguments: schema("order"),
    payload: schema("status"),
    topic: `ev/${name}/{order}`,
  }));
  expect((await older.call("PUT", "/manifest", { events })).status).toBe(200);
  const subscribe = async (tool: string, name: string = NAMES[0], args: object = { order: "1" }): Promise<string> => {
    const { body } = await older.post("/event-subscriptions", { call: { client: "codex", tool }, name, arguments: args });
    return body.addition.meta["ai.wakeshift/subscription"][0].ticket;
  };
  const log: LogEntry[] = [];
  const deploy = (): Wakeshift => new Wakeshift({ key: world.key, core: world.core.url, logger: (entry) => log.push(entry) });
  return { world, subscribe, log, deploy };
}

function keyIdOf(key: string): string {
  const seed = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), parseAppKey(key)]);
  const jwk = createPublicKey(createPrivateKey({ key: seed, format: "der", type: "pkcs8" })).export({ format: "jwk" });
  return createHash("sha256")
    .update(Buffer.from(String(jwk.x), "base64url"))
    .digest()
    .subarray(0, 16)
    .toString("base64url");
}

test("the first publish of this SDK closes each event that declares nothing, and says of each how many ended and how to reopen it (seed-273, seed-274, seed-276, seed-277, seed-278, seed-279)", async () => {
  const { world, subscribe, log, deploy } = await olderApp();
  const [tool, ...others] = [await subscribe("watch"), await subscribe("subscribe_events"), await subscribe("subscribe_events")];
  const kept = await subscribe("subscribe_events", NAMES[1]);
  const wake = deploy();
  const changed = wake.defineEvent(NAMES[0], { description: "An order changed", ...SCHEMAS });
  wake.defineEvent(NAMES[1], { description: "An order changed", ...SCHEMAS, authorize: () => true });
  wake.defineEvent(NAMES[2], { description: "An order changed", ...SCHEMAS });
  expect(await changed.emit({ order: "1" }, { status: "x" })).toMatchObject({ matched: 1 });
  const closed = log.filter((entry) => entry.code === "event_closed");
  expect(closed.map(({ level, event, ended }) => [level, event, ended])).toEqual([
    ["warn", NAMES[0], 2],
    ["warn", NAMES[2], 0],
  ]);
  for (const { message, event, ended } of closed) {
    expect(message).toContain(String(event));
    expect(message).toMatch(new RegExp(`\\b${String(ended)} subscriptions\\b.*authorize, personal: true or public: true`));
  }
  expect((await world.next([tool])).wakes).toMatchObject([{ payload: { status: "x" } }]);
  for (const ticket of others) expect(await world.next([ticket], 0)).toMatchObject({ wakes: [], ended: [{ reason: "revoked" }] });
  expect(await world.next([kept], 0)).toMatchObject({ ended: [] });
});

test("of many instances that start at once, each says it at most once, also if it publishes again (seed-277)", async () => {
  const { subscribe, log, deploy } = await olderApp();
  await subscribe("subscribe_events");
  const emits = Array.from({ length: 6 }, () => {
    const event = deploy().defineEvent(NAMES[0], { description: "An order changed", ...SCHEMAS });
    return event.emit({ order: "1" }, { status: "x" });
  });
  await Promise.all(emits);
  expect(log).toMatchObject(Array.from({ length: 6 }, () => ({ code: "event_closed", event: NAMES[0], ended: 1 })));
  const wake = deploy();
  const event = wake.defineEvent(NAMES[0], { description: "An order changed", ...SCHEMAS });
  for (const name of ["a.second", "a.third"]) {
    await event.emit({ order: "1" }, { status: "x" });
    wake.defineEvent(name, { description: "Another", ...SCHEMAS });
  }
  await event.emit({ order: "1" }, { status: "x" });
  expect(log).toHaveLength(7);
});

test("a later version reopens an event by declaring it, without a word in the log, and the core keeps a record (seed-281)", async () => {
  const { world, subscribe, log, deploy } = await olderApp();
  const publish = (openness: object): Promise<unknown> => {
    const event = deploy().defineEvent(NAMES[0], { description: "An order changed", ...SCHEMAS, ...openness });
    return event.emit({ order: "1" }, { status: "x" }, "personal" in openness ? { to: "ada" } : {});
  };
  await publish({});
  await expect(subscribe("subscribe_events")).rejects.toThrow();
  for (const openness of [{ public: true }, {}, { authorize: () => true }, {}, { personal: true }]) await publish(openness);
  expect(log.map(({ code, ended }) => [code, ended])).toEqual(Array.from({ length: 3 }, () => ["event_closed", 0]));
  const [app] = await world.core.store.listApps();
  const changes = await world.core.store.listAccessChanges(app?.id ?? "", 100);
  expect(changes.map(({ before, after, sdk }) => [before, after, sdk])).toEqual([
    [[], ["personal"], "typescript 0.11.0"],
    [["authorize"], [], "typescript 0.11.0"],
    [[], ["authorize"], "typescript 0.11.0"],
    [["public"], [], "typescript 0.11.0"],
    [[], ["public"], "typescript 0.11.0"],
    [undefined, [], "typescript 0.11.0"],
  ]);
});

test("a deploy that requires other arguments says whose subscriptions no emit matches, and ends none; the deploy before it, ending them or subscribing anew makes it right", async () => {
  const { world, subscribe, log, deploy } = await olderApp();
  const [first, second] = [await subscribe("watch"), await subscribe("watch")];
  const definition = {
    description: "An order changed",
    args: z.object({ order: z.string(), shop: z.string() }),
    payload: SCHEMAS.payload,
    authorize: () => true,
  };
  const emits = Array.from({ length: 4 }, () =>
    deploy().defineEvent(NAMES[0], definition).emit({ order: "1", shop: "s" }, { status: "x" }),
  );
  for (const answer of await Promise.all(emits)) expect(answer.matched).toBe(0);
  const stranded = { level: "warn", code: "subscriptions_stranded", event: NAMES[0], subscriptions: 2 };
  expect(log).toMatchObject(Array.from({ length: 4 }, () => stranded));
  expect(await world.next([first, second], 0)).toMatchObject({ wakes: [], ended: [] });

  const before = deploy().defineEvent(NAMES[0], { ...definition, args: SCHEMAS.args });
  expect(await before.emit({ order: "1" }, { status: "back" })).toMatchObject({ matched: 2 });
  expect((await world.next([first, second])).wakes).toHaveLength(2);
  expect(log).toHaveLength(4);

  const wake = deploy();
  const changed = wake.defineEvent(NAMES[0], definition);
  expect(await changed.emit({ order: "1", shop: "s" }, { status: "x" })).toMatchObject({ matched: 0 });
  expect(await wake.end({ event: changed })).toBe(2);
  const anew = await subscribe("watch", NAMES[0], { order: "1", shop: "s" });
  expect(await changed.emit({ order: "1", shop: "s" }, { status: "x" })).toMatchObject({ matched: 1 });
  expect((await world.next([anew])).wakes).toMatchObject([{ event: NAMES[0] }]);
});
