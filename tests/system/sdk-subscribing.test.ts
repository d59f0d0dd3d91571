import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { SubscriptionMetaEntry } from "@wakeshift/protocol";
import type { Call, SubscribeOptions, Subscription } from "@wakeshift/sdk";
import { expect, test } from "vitest";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";

/** One tool on a real core; each call does what the test says. */
async function setup() {
  const world = closedAfterTest(await startCoreWorld());
  let work: (call: Call) => Promise<object | void> = async () => undefined;
  const server = makeHost("2.x McpServer", [{ name: "watch", run: async () => (await work(world.wake.currentCall())) ?? { content: [] } }]);
  world.wake.attach(server, { wrap: { watch: [world.crawlFinished] } });
  const link = closedAfterTest(await inMemory("2.x McpServer", () => server, 2));
  async function during(run: typeof work, args: object = {}): Promise<any> {
    work = run;
    return link.client.callTool({ name: "watch", arguments: args });
  }
  /** Subscribes in a call of its own. */
  async function watch(job: string, options: SubscribeOptions = {}, args: object = {}) {
    let subscription: Subscription | undefined;
    const result = await during(async (call) => void (subscription = await call.subscribe(world.crawlFinished, { job }, options)), args);
    const entry: SubscriptionMetaEntry = result._meta[SUBSCRIPTION_META_KEY][0];
    return { subscription, entry, session: /wsk_\w{32}/.exec(result.content.at(-1).text)?.[0] ?? "", result };
  }
  const emit = (job: string, status: string, id?: string) => world.crawlFinished.emit({ job }, { status }, id === undefined ? {} : { id });
  const taken = async (ticket: string): Promise<unknown[]> => (await world.next([ticket])).wakes.map((wake: any) => wake.payload.status);
  return { world, during, watch, emit, taken };
}

test("an emit before anyone is subscribed reaches nobody, one after it the subscriber (seed-27, seed-119, seed-120)", async () => {
  const { watch, emit, taken } = await setup();
  expect(await emit("1", "early")).toMatchObject({ matched: 0 });
  const { subscription, entry } = await watch("1");
  expect(subscription).toEqual({ state: "subscribed", id: entry.id, expiresAt: new Date(entry.expiresAt) });
  expect(await emit("1", "late")).toMatchObject({ matched: 1, duplicate: false });
  expect(await emit("2", "other")).toMatchObject({ matched: 0 });
  expect(await taken(entry.ticket)).toEqual(["late"]);
});

test("replay delivers the newest earlier occurrence with these arguments, and once ends with it (seed-125, seed-127)", async () => {
  const { world, watch, emit } = await setup();
  await emit("1", "older");
  await emit("1", "newest");
  const { entry } = await watch("1", { replay: "10m", once: true });
  const { wakes } = await world.next([entry.ticket]);
  expect(wakes.map((wake: any) => wake.payload.status)).toEqual(["newest"]);
  if (wakes[0] !== undefined) await world.ack(entry.ticket, wakes[0]);
  expect(await emit("1", "again")).toMatchObject({ matched: 0 });
});

test("on arguments that repeat, replay with once ends at once on an older occurrence (seed-128)", async () => {
  const { world, watch, emit, taken } = await setup();
  await emit("main", "last week's");
  const { entry } = await watch("main", { replay: "24h", once: true });
  const { wakes } = await world.next([entry.ticket]);
  expect(wakes).toMatchObject([{ payload: { status: "last week's" } }]);
  if (wakes[0] !== undefined) await world.ack(entry.ticket, wakes[0]);
  expect(await emit("main", "the awaited one")).toMatchObject({ matched: 0 });
  expect(await taken(entry.ticket)).toEqual([]);
});

test("a ttl bounds the subscription", async () => {
  const { watch } = await setup();
  const { subscription } = await watch("1", { ttl: "2m" });
  const left = (subscription?.expiresAt?.getTime() ?? 0) - Date.now();
  expect(left).toBeGreaterThan(100_000);
  expect(left).toBeLessThan(121_000);
});

test("the same id emits once, and tells the second time that it did (seed-206)", async () => {
  const { watch, emit, taken } = await setup();
  const { entry } = await watch("1");
  const other = await watch("1");
  const first = await emit("1", "x", "crawl-1");
  expect(await emit("1", "x", "crawl-1")).toEqual({ ...first, duplicate: true });
  expect(first.id).toBe("crawl-1");
  expect(await taken(entry.ticket)).toEqual(["x"]);
  expect(await taken(other.entry.ticket)).toEqual(["x"]);
});

test("subscribing again with the session key renews; a failed call that renewed it leaves it", async () => {
  const { world, watch, during, emit, taken } = await setup();
  const { entry, session } = await watch("1");
  const renewed = await watch("1", {}, { session_key: session });
  expect(renewed.entry.id).toBe(entry.id);
  expect(renewed.session).toBe(session);
  const failed = await during(
    async (call) => {
      await call.subscribe(world.crawlFinished, { job: "1" });
      await call.subscribe(world.crawlFinished, { job: "2" });
      throw new Error("no");
    },
    { session_key: session },
  );
  expect(failed.isError).toBe(true);
  expect(await emit("2", "gone")).toMatchObject({ matched: 0 });
  expect(await emit("1", "kept")).toMatchObject({ matched: 1 });
  expect(await taken(renewed.entry.ticket)).toEqual(["kept"]);
});

test("a session key that is unknown or another user's is never adopted", async () => {
  const { watch } = await setup();
  const { session } = await watch("1", {}, { session_key: `wsk_${"a".repeat(32)}` });
  expect(session).not.toBe(`wsk_${"a".repeat(32)}`);
});

test("unsubscribes what the conversation subscribed, by the session key alone", async () => {
  const { world, watch, during, emit } = await setup();
  const { session } = await watch("1");
  const answers: boolean[] = [];
  const unsubscribe = (args: object) =>
    during(async (call) => void answers.push(await call.unsubscribe(world.crawlFinished, { job: "1" })), args);
  await unsubscribe({});
  await unsubscribe({ session_key: `wsk_${"a".repeat(32)}` });
  expect(await emit("1", "still")).toMatchObject({ matched: 1 });
  await unsubscribe({ session_key: session });
  await unsubscribe({ session_key: session });
  expect(answers).toEqual([false, false, true, false]);
  expect(await emit("1", "gone")).toMatchObject({ matched: 0 });
});

test("refuses bad arguments and options before anything is asked of the core", async () => {
  const { world, during, emit } = await setup();
  const codes: string[] = [];
  await during(async (call) => {
    for (const [args, options] of [
      [{}, {}],
      [{ job: 5 }, {}],
      [{ job: "\0" }, {}],
      [{ job: "x".repeat(5_000) }, {}],
      [{ job: "1" }, { replay: "25h" }],
      [{ job: "1" }, { ttl: "1s" }],
      [{ job: "1" }, { once: 1 }],
    ] as [any, any][]) {
      codes.push(
        await call.subscribe(world.crawlFinished, args, options).then(
          () => "none",
          (error: any) => error.code,
        ),
      );
    }
    codes.push(
      await (call as any).subscribe({ name: "crawl.finished" }, { job: "1" }).then(
        () => "none",
        (error: any) => error.code,
      ),
    );
  });
  expect(codes).toEqual([
    ...Array.from({ length: 4 }, () => "bad_arguments"),
    "replay_too_long",
    "bad_request",
    "bad_request",
    "bad_request",
  ]);
  expect(await emit("1", "x")).toMatchObject({ matched: 0 });
});

test("does paid work first, and keeps it when subscribing fails (seed-129)", async () => {
  const { world, during } = await setup();
  await world.core.close();
  const result = await during(async (call) => {
    const failed = await call.subscribe(world.crawlFinished, { job: "1" }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "unreachable" });
    return { content: [{ type: "text", text: "bought" }] };
  });
  expect(result).toMatchObject({ content: [{ text: "bought" }] });
});

test("a generated operation subscribes after it ran, by an id from its result, unless it failed (seed-130, seed-131)", async () => {
  const { world, during, emit, taken } = await setup();
  const generated = async (call: Call, result: any) => {
    if (result.isError !== true)
      await call.subscribe(world.crawlFinished, { job: result.structuredContent.job }, { replay: "10m", once: true });
    return result;
  };
  await emit("g1", "fast");
  const result = await during((call) => generated(call, { content: [], structuredContent: { job: "g1" } }));
  expect(await taken(result._meta[SUBSCRIPTION_META_KEY][0].ticket)).toEqual(["fast"]);
  const failed = await during((call) => generated(call, { content: [], isError: true }));
  expect(failed._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
});
