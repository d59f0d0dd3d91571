import { randomBytes } from "node:crypto";
import { formatAppKey } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { testingCore } from "@wakeshift/sdk/testing";
import { attachTools } from "@wakeshift/sdk/tools";
import { describe, expect, test } from "vitest";
import { openClient } from "./sdk-support/closed-after-test.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";
import { crawlFinishedOptions } from "./sdk-support/wake-world.ts";

const ok = { content: [{ type: "text", text: "ok" }] };
const refused = (code: string, ...words: readonly RegExp[]): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(new RegExp(words.map((word) => word.source).join(".*"), "s")) as string });

/** An app as an author writes it in JavaScript: no compiler looks at the options. */
function app(options: object = {}): { readonly wake: any; readonly log: LogEntry[]; readonly core: any } {
  const log: LogEntry[] = [];
  const core = testingCore();
  return { core, log, wake: new Wakeshift({ ...core.options, logger: (entry) => void log.push(entry), ...options }) };
}

const personal = { ...crawlFinishedOptions, personal: true };

describe.each(HOST_KINDS.map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test("what a handler asks for wrongly is logged once for each tool and event, and named", async () => {
    const { wake, log } = app();
    const crawlFinished = wake.defineEvent("crawl.finished", crawlFinishedOptions);
    const other = wake.defineEvent("other.event", crawlFinishedOptions);
    const slips: Readonly<Record<string, () => unknown>> = {
      undeclared: () => wake.currentCall().subscribe(other, { job: "1" }),
      arguments: () => wake.currentCall().subscribe(crawlFinished, { jbo: "1" }),
      option: () => wake.currentCall().subscribe(crawlFinished, { job: "1" }, { ones: true }),
      ending: () => wake.currentCall().unsubscribe(other, { job: "1" }),
      foreign: () => wake.currentCall().subscribe({ name: "crawl.finished" }, { job: "1" }),
      unwrapped: () => wake.currentCall(),
    };
    const server = makeHost(
      kind,
      Object.entries(slips).map(([name, slip]) => ({ name, run: async () => (await slip(), ok) })),
    );
    wake.attach(server, { wrap: (tool: string) => (tool === "unwrapped" ? undefined : [crawlFinished]) });
    const client = await openClient(kind, server);
    for (let time = 0; time < 2; time += 1)
      for (const name of Object.keys(slips))
        await client.callTool({ name, arguments: {} }).then(
          (result: any) => expect(result.isError).toBe(true),
          () => undefined,
        );
    expect(log).toMatchObject([
      { level: "warn", code: "request_failed", request: "subscribe", tool: "undeclared", event: "other.event", error: "undeclared_event" },
      { code: "request_failed", tool: "arguments", event: "crawl.finished", error: "bad_arguments" },
      { code: "request_failed", tool: "option", error: "bad_request", message: expect.stringContaining('"ones". Did you mean once?') },
      { code: "request_failed", request: "unsubscribe", tool: "ending", event: "other.event", error: "undeclared_event" },
      { code: "request_failed", tool: "foreign", error: "bad_request" },
      { level: "warn", code: "no_call" },
    ]);
  });

  test("a malformed key stops no tool: the log names WAKESHIFT_KEY at the start, and the first call to the core fails", async () => {
    const key = `${formatAppKey(randomBytes(32)).slice(0, -1)}0`;
    const { wake, log } = app({ key });
    const crawlFinished = wake.defineEvent("crawl.finished", crawlFinishedOptions);
    const caught: any[] = [];
    const server = makeHost(kind, [
      { name: "plain", run: () => ok },
      {
        name: "watch",
        run: async () => {
          await wake
            .currentCall()
            .subscribe(crawlFinished, { job: "1" })
            .catch((error: unknown) => caught.push(error));
          return ok;
        },
      },
    ]);
    wake.attach(server, { wrap: { watch: [crawlFinished] } });
    const told = { level: "warn", code: "no_key", error: "unauthorized", message: expect.stringContaining("WAKESHIFT_KEY") };
    expect(log).toMatchObject([told]);
    const client = await openClient(kind, server);
    expect((await client.listTools()).tools.map((tool: any) => tool.name)).toContain("plain");
    for (const name of ["plain", "watch"]) expect(await client.callTool({ name, arguments: {} })).toMatchObject(ok);
    const emitted = await crawlFinished.emit({ job: "1" }, { status: "x" }).catch((error: unknown) => error);
    const failed = { code: "unauthorized", message: expect.stringContaining("WAKESHIFT_KEY") };
    expect([...caught, emitted]).toMatchObject([failed, failed]);
    expect(JSON.stringify([log, caught.map(String), String(emitted)])).not.toContain(key.slice(4, 20));
  });

  test("a personal event, or requireUser, without identify is refused when attaching, whichever comes first", async () => {
    const { wake } = app();
    const attach = (options?: object) => wake.attach(makeHost(kind, [{ name: "a", run: () => ok }]), options);
    expect(() => attach({ requireUser: true })).toThrow(
      refused("bad_request", /requireUser needs identify/, /Pass identify to wake\.attach/),
    );
    expect(() => attachTools(wake, { requireUser: true })).toThrow(refused("bad_request", /requireUser needs identify/, /attachTools/));
    const other = app().wake;
    other.defineEvent("game.turn", personal);
    expect(() => other.attach(makeHost(kind, []))).toThrow(refused("bad_request", /game\.turn needs identify/));
    expect(() => attachTools(other)).toThrow(refused("bad_request", /game\.turn needs identify/));
    expect(() => other.attach(makeHost(kind, []), { identify: () => ({ user: "ann" }), requireUser: true })).not.toThrow();
    attach();
    expect(() => wake.defineEvent("game.turn", personal)).toThrow(refused("bad_openness", /without identify/));
  });
});

test("a core that fails Wakeshift's own tools is logged, not only told to the agent; what the agent asks wrongly isn't", async () => {
  const { wake, log, core } = app();
  wake.defineEvent("news.posted", { ...crawlFinishedOptions, public: true });
  const tools = attachTools(wake);
  const call = (name: string, args: object = {}): Promise<any> => tools.call({ name, arguments: args }, {}, () => undefined);
  const session_key = `wsk_${"a".repeat(32)}`;
  expect(await call("list_subscriptions", { session_key })).toMatchObject({ isError: true });
  expect(await call("unsubscribe_events", { session_key })).toMatchObject({ isError: true });
  expect(log).toEqual([]);
  core.fail("refused");
  for (const name of ["list_subscriptions", "unsubscribe_events"])
    for (let time = 0; time < 2; time += 1)
      expect(await call(name, { session_key, event: "news.posted" })).toMatchObject({ isError: true });
  expect(log).toMatchObject([
    { code: "request_failed", request: "list", error: "unauthorized" },
    { code: "request_failed", request: "unsubscribe", error: "unauthorized" },
  ]);
});

test("an option that doesn't exist is refused wherever options are taken, with the name that is nearest", async () => {
  const { wake } = app();
  const event = wake.defineEvent("crawl.finished", crawlFinishedOptions);
  const server = (): any => makeHost("2.x McpServer", []);
  const make: any = Wakeshift;
  expect(() => new make({ apiKey: "x" })).toThrow(refused("bad_request", /"apiKey"/, /key\?/));
  expect(() => new make(null)).toThrow(refused("bad_request", /an object, not null/));
  expect(() => wake.defineEvent("a.b", { ...crawlFinishedOptions, personel: true })).toThrow(
    refused("bad_event", /"personel"/, /personal\?/),
  );
  expect(() => wake.defineEvent("a.b")).toThrow(refused("bad_event", /an object/));
  expect(() => wake.attach(server(), { wraps: {} })).toThrow(refused("bad_request", /"wraps"/, /wrap\?/));
  expect(() => wake.attach(server(), { catalog: () => [] })).toThrow(refused("bad_request", /"catalog"/, /It takes identify, wrap/));
  expect(() => wake.attach(server(), { identify: "ann" })).toThrow(refused("bad_request", /identify/, /a function/));
  expect(() => wake.attach(server(), { identify: () => undefined, requireUser: "yes" })).toThrow(refused("bad_request", /requireUser/));
  const loose: any = attachTools;
  expect(() => loose(wake, { identity: () => undefined })).toThrow(refused("bad_request", /"identity"/, /identify\?/));
  expect(() => loose(wake, { catalog: [] })).toThrow(refused("bad_request", /catalog/, /a function/));
  const attached = wake.attach(server());
  expect(() => attached.registerTool("go", { subscribe: [event] }, () => ok)).toThrow(
    refused("bad_request", /"subscribe"/, /subscribes\?/),
  );
  expect(() => attached.registerTool("own", { title: "Own", newOfTheHost: 1 }, () => ok)).not.toThrow();
  expect(() => loose(wake).tool("go", { description: "d", subscribe: [event] }, () => ok)).toThrow(refused("bad_request", /subscribes\?/));
  await expect(event.emit({ job: "1" }, { status: "x" }, { ids: "1" })).rejects.toEqual(refused("bad_request", /"ids"/, /id\?/));
  // Read as left out, these would end the subscriptions of everybody.
  await expect(wake.end({ event, usr: "ann" })).rejects.toEqual(refused("bad_request", /"usr"/, /user\?/));
  const testing: any = testingCore;
  expect(() => testing({ name: "x" })).toThrow(refused("bad_request", /"name"/, /appName\?/));
  await expect(testing().wake("crawl.finished", { timeout: 1 })).rejects.toEqual(refused("bad_request", /timeoutMs\?/));
});
