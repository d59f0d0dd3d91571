import { emitNamed } from "@wakeshift/sdk";
import { expect, test } from "vitest";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";

function endless(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value["in"] = value;
  return value;
}

function deep(): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < 50_000; level += 1) value = { in: value };
  return value;
}

async function setup() {
  const made = await openWakeWorld();
  const anything = made.wake.defineEvent("any.thing", {
    description: "Anything.",
    args: { type: "object" },
    payload: { type: "object" },
    public: true,
  });
  const refused: any[] = [];
  const tries: ((call: any) => Promise<unknown>)[] = [];
  const server = makeHost("1.x Server", [
    {
      name: "go",
      run: async () => {
        for (const attempt of tries) refused.push(await attempt(made.wake.currentCall()).catch((error: unknown) => error));
        return { content: [] };
      },
    },
  ]);
  made.wake.attach(server, { wrap: { go: [anything] } });
  const link = closedAfterTest(await inMemory("1.x Server", () => server, 1));
  return { made, anything, tries, refused, client: link.client };
}

test.each([
  ["hold themselves", endless],
  ["are 50,000 levels deep", deep],
])("refuses arguments and payloads that %s, wherever they are passed in, and asks nothing of the core", async (_what, make) => {
  const { made, anything, tries, refused, client } = await setup();
  const named = { name: "any.thing", arguments: {}, payload: {} };
  const options = { core: made.peer.url, logger: () => undefined };
  const outside: [string, Promise<unknown>][] = [
    ["bad_arguments", anything.emit(make(), {})],
    ["bad_payload", anything.emit({}, make())],
    ["bad_arguments", made.wake.end({ args: make() })],
    ["bad_arguments", emitNamed({ ...named, arguments: make() }, options)],
    ["bad_payload", emitNamed({ ...named, payload: make() }, options)],
  ];
  for (const [code, attempt] of outside) await expect(attempt).rejects.toMatchObject({ code });
  tries.push(
    (call) => call.subscribe(anything, make()),
    (call) => call.unsubscribe(anything, make()),
  );
  await client.callTool({ name: "go", arguments: {} });
  expect(refused).toMatchObject([{ code: "bad_arguments" }, { code: "bad_arguments" }]);
  expect(made.peer.requests).toEqual([]);
});

test.each([
  ["subscribe_events", { event: "any.thing" }],
  ["unsubscribe_events", { event: "any.thing", session_key: "k" }],
])("%s tells an agent that its arguments are nested too deep", async (name, given) => {
  const { client, made } = await setup();
  let args: object = {};
  for (let level = 0; level < 500; level += 1) args = { in: args };
  expect(await client.callTool({ name, arguments: { ...given, arguments: args } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("nested deeper than 64 levels") as string }],
  });
  expect(made.peer.to("/event-subscriptions")).toEqual([]);
});
