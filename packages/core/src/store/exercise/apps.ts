import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { EventRecord, KeyRecord, PutEventsResult } from "../../engine/store.ts";
import type { Exercise, World } from "./world.ts";
import { hashOf, HOUR } from "./world.ts";

function key(world: World, over: Partial<KeyRecord> = {}): KeyRecord {
  return {
    keyId: "kid-1",
    appId: "app_a",
    name: "first",
    publicKey: new Uint8Array(randomBytes(32)),
    createdAt: world.clock.now(),
    revokedAt: undefined,
    ...over,
  };
}

export function exerciseApps(exercise: Exercise): void {
  exercise("finds an app by id and by name, also after a reopen", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Büro ☕", createdAt: 7 });
    await world.reopen();
    assert.deepEqual(await world.store.findApp("Büro ☕"), { id: "app_b", name: "Büro ☕", createdAt: 7 });
    assert.equal((await world.store.findApp("app_a"))?.name, "Crawler");
    assert.deepEqual(
      (await world.store.listApps()).map((app) => app.id),
      ["app_a", "app_b"],
    );
    assert.equal(await world.store.findApp("nobody"), undefined);
  });

  exercise("an app named like another one's id doesn't take its place", async (world) => {
    await world.store.createApp({ id: "app_b", name: "app_a", createdAt: 1 });
    assert.equal((await world.store.findApp("app_a"))?.name, "Crawler");
  });

  exercise("refuses a second app of the same name, and leaves nothing of it", async (world) => {
    await assert.rejects(world.store.createApp({ id: "app_b", name: "Crawler", createdAt: 1 }), { code: "bad_request" });
    assert.equal(await world.store.findApp("app_b"), undefined);
  });

  exercise("gives a key back as it was stored, and knows it is revoked at once and after a reopen", async (world) => {
    const stored = key(world);
    await world.store.addKey(stored);
    assert.deepEqual(await world.store.findKey("kid-1"), stored);
    assert.equal(await world.store.revokeKey("kid-1", 42), true);
    assert.equal((await world.store.findKey("kid-1"))?.revokedAt, 42);
    assert.equal(await world.store.revokeKey("kid-1", 99), true);
    await world.reopen();
    assert.equal((await world.store.findKey("kid-1"))?.revokedAt, 42);
  });

  exercise("revoking a key that isn't there answers false", async (world) => {
    assert.equal(await world.store.revokeKey("nobody", 1), false);
    assert.equal(await world.store.findKey("nobody"), undefined);
  });

  exercise("lists an app's own keys only, and refuses a key of an app that isn't there", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    await world.store.addKey(key(world));
    await world.store.addKey(key(world, { keyId: "kid-2", appId: "app_b" }));
    assert.deepEqual(
      (await world.store.listKeys("app_a")).map((one) => one.keyId),
      ["kid-1"],
    );
    await assert.rejects(world.store.addKey(key(world, { keyId: "kid-3", appId: "app_none" })), { code: "bad_request" });
    assert.equal(await world.store.findKey("kid-3"), undefined);
  });
}

export function event(name: string, over: Partial<EventRecord> = {}): EventRecord {
  return {
    appId: "app_a",
    name,
    description: "A crawl has ended. „Ende“",
    argumentsSchema: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
    payloadSchema: { type: "object" },
    access: [],
    tools: ["start_crawl"],
    digest: hashOf(JSON.stringify([name, over, "access" in over])),
    ...over,
  };
}

export const put = (world: World, events: readonly EventRecord[]): Promise<PutEventsResult> =>
  world.store.putEvents(events, world.clock.now());

export function exerciseEvents(exercise: Exercise): void {
  exercise("keeps definitions as given, and tells no access rule from an empty one", async (world) => {
    const events = [event("a.one"), event("a.two", { access: undefined }), event("a.three", { access: ["personal", "public"] })];
    assert.deepEqual([...(await put(world, events)).changed].sort(), ["a.one", "a.three", "a.two"]);
    await world.reopen();
    for (const one of events) assert.deepEqual(await world.store.findEvent("app_a", one.name), one);
  });

  exercise("writes only what differs, and keeps what is left out", async (world) => {
    await put(world, [event("a.one"), event("a.two")]);
    assert.deepEqual(await put(world, [event("a.one")]), { changed: [], closed: [], stranded: [] });
    assert.deepEqual(await put(world, [event("a.one", { access: ["public"], digest: hashOf("changed") })]), {
      changed: ["a.one"],
      closed: [],
      stranded: [],
    });
    assert.deepEqual(
      (await world.store.listEvents("app_a")).map((one) => [one.name, one.access]),
      [
        ["a.one", ["public"]],
        ["a.two", []],
      ],
    );
  });

  exercise("an event belongs to its app", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    await put(world, [event("a.one")]);
    assert.equal(await world.store.findEvent("app_b", "a.one"), undefined);
    assert.deepEqual(await world.store.listEvents("app_b"), []);
    assert.equal(await world.store.findEvent("app_none", "a.one"), undefined);
  });
}

export function exerciseJtis(exercise: Exercise): void {
  exercise("a jti is good once, also across a reopen", async (world) => {
    const expiresAt = world.clock.now() + 120_000;
    assert.equal(await world.store.claimJti("j1", expiresAt), true);
    assert.equal(await world.store.claimJti("j1", expiresAt), false);
    await world.emit("e1");
    await world.reopen();
    assert.equal(await world.store.claimJti("j1", expiresAt), false);
    assert.equal(await world.store.claimJti("j2", expiresAt), true);
  });

  exercise("of many at the same instant with one jti, one wins", async (world) => {
    const wins = await Promise.all(Array.from({ length: 20 }, () => world.store.claimJti("j", world.clock.now() + 1_000)));
    assert.equal(wins.filter(Boolean).length, 1);
  });

  exercise("no answered write outlives its jti", async (world) => {
    const first = world.store.claimJti("j", world.clock.now() + 120_000);
    const emitted = world.emit("e1");
    assert.equal(await first, true);
    await emitted;
    await world.reopen();
    assert.equal(await world.store.claimJti("j", world.clock.now() + 120_000), false);
  });

  exercise("a step of the wall clock, either way, and housekeeping don't make a jti good again", async (world) => {
    const expiresAt = world.clock.now() + 120_000;
    await world.store.claimJti("j", expiresAt);
    for (const step of [2 * HOUR, -4 * HOUR, 2 * HOUR]) {
      world.clock.stepWall(step);
      while (await world.store.prune(world.clock.now(), 24 * HOUR));
      assert.equal(await world.store.claimJti("j", expiresAt), false);
    }
  });
}
