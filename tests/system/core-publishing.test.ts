import { expect, test } from "vitest";
import { ADMIN_TOKEN, CRAWL, SDK, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";
import { subscribeMany } from "./core-support/many-subscriptions.ts";

const HOLDER = "holder-of-this-test";
const PUBLISHERS = 10;
const ROUNDS = 12;

const accessChanges = async (world: CoreWorld): Promise<any[]> =>
  (await world.fetchJson("GET", "/api/admin/v1/apps/Crawler/access-changes", undefined, { Authorization: `Bearer ${ADMIN_TOKEN}` })).body
    .access_changes;

test("a closing is stated to the next publishes, also if its publisher gave up waiting for the answer (seed-277, seed-278)", async () => {
  const world = await startWorld({}, []);
  expect((await world.app.call("PUT", "/manifest", { events: [CRAWL] })).status).toBe(200);
  await subscribeMany(world.app, { store: world.core.store, appId: world.appId }, { tools: 10, others: 3_000 });
  const givingUp = new AbortController();
  const ended = new Promise<void>((resolve) => void world.core.store.listen({ ended: () => resolve() }));
  const publishing = fetch(`${world.url}/api/apps/v1/manifest`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${await world.app.assertion()}` },
    body: JSON.stringify({ sdk: SDK, events: [CRAWL] }),
    signal: givingUp.signal,
  });
  await ended;
  givingUp.abort();
  await publishing.catch((error: unknown) => expect(String(error)).toMatch(/abort/));
  const publish = async (): Promise<any> => (await world.app.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] })).body;
  for (const { closed } of await Promise.all([publish(), publish()])) expect(closed).toEqual([{ name: CRAWL.name, ended: 3_000 }]);
});

test(
  "ten instances publish three manifests in turns, among subscribers and emitters: nothing fails, closings are stated as they are recorded, and what a tool subscribed gets every occurrence of its shape once (seed-276, seed-277, seed-278)",
  { timeout: 240_000 },
  async () => {
    const world = await startWorld({ logLevel: "warn" }, [{ ...CRAWL, access: ["public"] }]);
    const kept = await subscribe(world.app, {}, { user: "ada" });
    await subscribe(world.app, {}, { user: "ada", tool: "subscribe_events" });
    const told: { name: string; ended: number }[] = [];
    let publishing = true;
    const publish = async (access: readonly string[]): Promise<void> => {
      const { status, body } = await world.app.call("PUT", "/manifest", { sdk: SDK, events: [{ ...CRAWL, access }] });
      expect([status, body.error]).toEqual([200, undefined]);
      told.push(...body.closed);
    };
    const publishers = Array.from({ length: PUBLISHERS }, async (_, publisher) => {
      for (let round = 0; round < ROUNDS; round += 1) await publish([["public"], [], ["personal"]][(publisher + round) % 3] ?? []);
    });
    const refusals = new Map<string, number>();
    const emitted: string[] = [];
    const emitter = async (to: object): Promise<void> => {
      while (publishing) {
        const occurrence = { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" }, ...to };
        const { status, body } = await world.app.post("/events/emit", occurrence);
        if (status === 200 && !("to" in to)) emitted.push(body.id);
        else if (status === 200) continue;
        else refusals.set(body.error.code, (refusals.get(body.error.code) ?? 0) + 1);
      }
    };
    const subscriber = async (): Promise<void> => {
      for (let n = 0; publishing; n += 1) {
        const call = { client: "c", tool: "subscribe_events", user: `user-${n % 5}` };
        const { status, body } = await world.app.post("/event-subscriptions", { call, name: CRAWL.name, arguments: { job: "a" } });
        if (status !== 200) refusals.set(body.error.code, (refusals.get(body.error.code) ?? 0) + 1);
      }
    };
    const others = [emitter({}), emitter({ to: "ada" }), emitter({ to: ["bob", "ada"] }), subscriber(), subscriber()];
    await Promise.all(publishers);
    publishing = false;
    await Promise.all(others);
    await publish([]);
    expect(emitted.length).toBeGreaterThan(0);
    expect([...refusals.keys()].filter((code) => !["to_required", "to_refused", "not_open"].includes(code))).toEqual([]);

    const closings = (await accessChanges(world)).filter(({ after }) => after.length === 0);
    expect(told.some(({ ended }) => ended > 0)).toBe(true);
    for (const { ended } of told) expect(closings.map((closing) => closing.ended)).toContain(ended);
    while (await world.core.store.prune(Date.now(), 86_400_000));
    const left = await world.core.store.listSubscriptions({ appId: world.appId, event: CRAWL.name }, Date.now());
    expect(left.map(({ id }) => id)).toEqual([kept.id]);

    const got: string[] = [];
    for (let more = true; more;) {
      const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [kept.ticket] });
      const acks = body.wakes.map(({ occurrence }: any) => ({ ticket: kept.ticket, occurrence, state: "handed" }));
      await world.fetchJson("POST", "/api/wakes/v1/ack", { holder: HOLDER, acks });
      got.push(...body.wakes.map(({ occurrence }: any) => occurrence));
      more = body.wakes.length > 0;
    }
    expect(got.sort()).toEqual(emitted.sort());
    expect(world.log.filter((line) => !/"closed"|"stranded"/.test(line))).toEqual([]);
  },
);
