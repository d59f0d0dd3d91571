import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import { testingCore } from "@wakeshift/sdk/testing";
import { describe, expect, test } from "vitest";
import { closedAfterTest, openClient } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { defineCrawlFinished } from "./sdk-support/wake-world.ts";

/** What `identify` answers, and the code of the subscribe; `undefined`: it is made. */
const ANSWERS: readonly (readonly [string, unknown, string | undefined])[] = [
  ["a user of 1,024 characters", { user: "u".repeat(1_024) }, undefined],
  ["a user of 1,025 characters", { user: "u".repeat(1_025) }, "bad_request"],
  ["a user with NUL", { user: "a\0b" }, "bad_request"],
  ["a user of half a surrogate pair", { user: "a\ud800" }, "bad_request"],
  ["a client of 1 MB", { client: "c".repeat(1_000_000) }, undefined],
  ["a client with NUL", { client: "a\0b" }, undefined],
  ["a client of half a surrogate pair", { client: "\udc00" }, undefined],
  ["no user", { user: "" }, undefined],
  ["a number for one", { user: 7, client: {} }, undefined],
  ["a String object for one", { user: new String("ada"), client: [] }, undefined],
  ["text", "ada", undefined],
  ["a symbol", Symbol("ada"), undefined],
];

const CORES = ["the real core", "the testing core"] as const;

describe.each(CORES)("identify, with %s", (which) => {
  async function setup() {
    const log: unknown[] = [];
    const identity: { answer: unknown } = { answer: undefined };
    const { wake, crawlFinished } = await appOn(which, log);
    const server = makeHost("2.x Server", [
      {
        name: "start",
        run: async () => {
          const done = await wake
            .currentCall()
            .subscribe(crawlFinished, { job: "1" })
            .catch((error: unknown) => error);
          return { content: [{ type: "text", text: JSON.stringify(codeOf(done)) }] };
        },
      },
    ]);
    wake.attach(server, { wrap: { start: [crawlFinished] }, identify: () => identity.answer as never });
    const client = await openClient("2.x Server", server);
    const call = (name: string, args: object = {}): Promise<any> => client.callTool({ name, arguments: { ...args } });
    return { identity, log, crawlFinished, call };
  }

  test.each(ANSWERS)("that answers %s fails clearly, or counts as nobody, and loses nothing", async (_what, answer, code) => {
    const { identity, log, crawlFinished, call } = await setup();
    const before = await call("start");
    identity.answer = answer;
    const result = await call("start");
    const said = JSON.parse(result.content[0].text);
    expect(said.code).toBe(code);
    expect(result._meta?.[SUBSCRIPTION_META_KEY]?.length ?? 0).toBe(code === undefined ? 1 : 0);
    if (code !== undefined) {
      expect(said.message).toMatch(/user|client|call/);
      expect(said.message.length).toBeLessThan(400);
    }
    expect(await crawlFinished.emit({ job: "1" }, { status: "done" })).toMatchObject({ matched: code === undefined ? 2 : 1 });
    expect(before._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    const listed = await call("list_subscriptions", { session_key: `wsk_${"a".repeat(32)}` });
    expect(listed.content[0].text.length).toBeLessThan(400);
    // What a core refused is told to the author, too: of what the handler throws, only the agent reads.
    const refused = expect.objectContaining({ code: "request_failed", request: "subscribe", tool: "start", error: code });
    expect(log).toEqual(code === "bad_request" ? [refused] : []);
  });
});

function codeOf(done: any): object {
  return done instanceof Error ? { code: (done as { code?: unknown }).code, message: done.message } : { state: done.state };
}

async function appOn(which: (typeof CORES)[number], log: unknown[]) {
  const logger = (entry: unknown): void => void log.push(entry);
  if (which === "the real core") {
    const world = closedAfterTest(await startCoreWorld());
    const wake = new Wakeshift({ key: world.key, core: world.core.url, logger });
    return { wake, crawlFinished: defineCrawlFinished(wake) };
  }
  const core = testingCore();
  const wake = new Wakeshift({ ...core.options, logger });
  return { wake, crawlFinished: defineCrawlFinished(wake) };
}
