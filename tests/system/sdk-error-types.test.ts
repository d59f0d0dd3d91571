import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openClient } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";

/** As most authors write one: no `name` of its own. */
class PoolExhausted extends Error {}

afterEach(() => {
  vi.useRealTimers();
});

/** An app all of whose own code fails as told. */
async function setup() {
  const world = closedAfterTest(await startCoreWorld());
  const failing: Set<string> = new Set();
  let heard = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (heard = resolve));
  const fails = (what: string): void => {
    if (failing.has(what)) throw new PoolExhausted("postgres://crawler:hunter2@db");
  };
  const gated = world.wake.defineEvent("ci.finished", {
    description: "CI finished",
    args: z.object({ repo: z.string() }),
    payload: z.object({}),
    authorize: async () => {
      fails("authorize");
      if (!failing.has("silence")) return true;
      heard();
      return new Promise<boolean>(() => undefined);
    },
    text: () => {
      fails("text");
      return "CI finished";
    },
  });
  const server = makeHost("2.x McpServer", []);
  world.wake.attach(server, {
    identify: () => {
      fails("identify");
      return { user: "ada" };
    },
    onSubscribe: () => fails("onSubscribe"),
    onUnsubscribe: () => fails("onUnsubscribe"),
  });
  const client = await openClient("2.x McpServer", server);
  const call = (name: string, args: object): Promise<any> => client.callTool({ name, arguments: args });
  const subscribe = (): Promise<any> => call("subscribe_events", { event: "ci.finished", arguments: { repo: "r" } });
  return { world, failing, gated, call, subscribe, isAsked };
}

test.each([
  ["authorize", "authorize_failed"],
  ["identify", "identify_failed"],
  ["onSubscribe", "on_subscribe_failed"],
])("an error of a class that sets no name is logged by that class where %s throws it (seed-198, seed-201)", async (what, code) => {
  const { world, failing, subscribe } = await setup();
  failing.add(what);
  await subscribe();
  await vi.waitFor(() => expect(world.log).toMatchObject([{ level: "warn", code, error: "PoolExhausted" }]));
  expect(world.log[0]?.message).toContain("PoolExhausted");
  expect(JSON.stringify(world.log)).not.toContain("hunter2");
});

test("an error of a class that sets no name is logged by that class where onUnsubscribe or an event's text throws it", async () => {
  const { world, failing, subscribe, call, gated } = await setup();
  const session_key = /wsk_\w{32}/.exec(JSON.stringify(await subscribe()))?.[0];
  failing.add("onUnsubscribe").add("text");
  await expect(gated.emit({ repo: "r" }, {})).rejects.toBeInstanceOf(PoolExhausted);
  expect(await call("unsubscribe_events", { event: "ci.finished", session_key })).toMatchObject({
    content: [{ text: "Ended 1 subscription." }],
  });
  await vi.waitFor(() =>
    expect(world.log).toMatchObject([
      { code: "request_failed", request: "emit", error: "PoolExhausted" },
      { code: "on_subscribe_failed", error: "PoolExhausted" },
    ]),
  );
  expect(JSON.stringify(world.log)).not.toContain("hunter2");
});

test("an authorize that doesn't answer within ten seconds refuses subscribe_events, and is logged as late (seed-200, seed-201)", async () => {
  const { world, failing, subscribe, isAsked } = await setup();
  failing.add("silence");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const asked = subscribe();
  await isAsked;
  await vi.advanceTimersByTimeAsync(9_999);
  expect(world.log).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await asked).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("refused") }] });
  expect(world.log).toMatchObject([{ code: "authorize_failed", error: "TimeoutError" }]);
});
