import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Validator } from "@cfworker/json-schema";
import { Wakeshift } from "@wakeshift/sdk";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { startWorld } from "./core-support/core-world.ts";
import { AppClient } from "./core-support/core-client.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";
import { defineCrawlFinished } from "./sdk-support/wake-world.ts";

interface Exchange {
  readonly path: string;
  readonly request: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** The shapes of each call: what is asked, and what a success answers. */
const CALLS: Readonly<Record<string, readonly [string | undefined, string]>> = {
  "/app": [undefined, "AppAnswer"],
  "/manifest": ["ManifestRequest", "ManifestAnswer"],
  "/events/emit": ["EmitRequest", "EmitAnswer"],
  "/event-subscriptions": ["SubscribeRequest", "SubscribeAnswer"],
  "/event-subscriptions/rollback": ["RollbackRequest", "EndedAnswer"],
  "/event-subscriptions/unsubscribe": ["UnsubscribeRequest", "EndedAnswer"],
  "/event-subscriptions/end": ["EndRequest", "EndedAnswer"],
  "/event-subscriptions/end-matching": ["EndMatchingRequest", "EndedAnswer"],
  "/event-subscriptions/list": ["ListRequest", "ListAnswer"],
};

const SCHEMA = JSON.parse(readFileSync(new URL("../../spec/wire/app-api.schema.json", import.meta.url), "utf8")) as object;

function faults(shape: string, value: unknown): readonly string[] {
  const { errors } = new Validator({ ...SCHEMA, $ref: `#/$defs/${shape}` }, "2020-12").validate(value);
  return errors.map(({ instanceLocation, error }) => `${shape} ${instanceLocation} ${error}`);
}

/** Hands everything on to a core, and keeps what was said. */
async function startRecorder(): Promise<{ readonly url: string; aim(url: string): void; readonly exchanges: Exchange[] }> {
  let target = "";
  const exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const { method = "GET", url = "/", headers } = incoming;
      void fetch(target + url, {
        method,
        headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
        ...(body === "" ? {} : { body }),
      }).then(async (response) => {
        const text = await response.text();
        const path = url.slice("/api/apps/v1".length);
        exchanges.push({ path, request: body === "" ? undefined : JSON.parse(body), status: response.status, answer: JSON.parse(text) });
        outgoing.writeHead(response.status, { "content-type": "application/json" }).end(text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, aim: (url) => (target = url), exchanges };
}

test("what the SDK asks and what the core answers has the shapes of spec/wire/app-api.schema.json, refusals too", async () => {
  const recorder = await startRecorder();
  const world = await startWorld({ publicUrl: recorder.url }, []);
  recorder.aim(world.url);
  const wake = new Wakeshift({ key: world.app.key, core: recorder.url, logger: () => undefined, timeoutMs: 20_000 });
  const crawlFinished = defineCrawlFinished(wake);
  const news = wake.defineEvent("news.posted", {
    description: "News were posted.",
    args: z.object({ topic: z.string() }),
    payload: z.object({ title: z.string() }),
    public: true,
  });
  const turn = wake.defineEvent("game.turn", {
    description: "It's your move.",
    args: z.object({ game: z.string() }),
    payload: z.object({ move: z.number() }),
    personal: true,
  });
  const server = makeHost("2.x McpServer", [
    {
      name: "start_crawl",
      input: z.object({ job: z.string(), fails: z.boolean().optional() }),
      run: async ({ job, fails }) => {
        await wake.currentCall().subscribe(crawlFinished, { job }, { once: true, ttl: "1h", replay: "10m" });
        return { content: [{ type: "text", text: "Started." }], isError: fails === true };
      },
    },
    {
      name: "watch_game",
      input: z.object({ game: z.string() }),
      run: async ({ game }) => {
        await wake.currentCall().subscribe(turn, { game });
        return { content: [{ type: "text", text: "Watching." }] };
      },
    },
  ]);
  wake.attach(server, { identify: () => ({ user: "ada" }), wrap: { start_crawl: [crawlFinished], watch_game: [turn] } });
  const link = await inMemory("2.x McpServer", () => server, 2);
  onTestFinished(() => link.close());
  const call = (name: string, args: object): Promise<any> => link.client.callTool({ name, arguments: args });

  const begun = await call("start_crawl", { job: "1", harness: "codex", conversation_id: "c-1" });
  const session = /wsk_\w{32}/.exec(JSON.stringify(begun.content))?.[0] ?? "";
  expect(session).not.toBe("");
  await call("start_crawl", { job: "1", session_key: session });
  await call("start_crawl", { job: "2", fails: true });
  await call("watch_game", { game: "g" });
  await call("subscribe_events", { event: "news.posted", arguments: { topic: "t" }, session_key: session });
  const listed = await call("list_subscriptions", { session_key: session });
  expect(JSON.stringify(listed.content)).toContain("news.posted");
  await call("unsubscribe_events", { session_key: session, event: "news.posted" });
  await crawlFinished.emit({ job: "1" }, { status: "done" }, { id: "crawl-1" });
  await turn.emit({ game: "g" }, { move: 1 }, { to: ["ada", "bob"] });
  await news.emit({ topic: "t" }, { title: "x" });
  await wake.end({ event: crawlFinished, args: { job: "1" } });

  // What authors' code of other languages asks beside that.
  const client = new AppClient(recorder.url, world.app.key, world.app.keyId);
  await client.call("GET", "/app");
  await client.post("/event-subscriptions/list", { user: "ada" });
  const [first] = recorder.exchanges.flatMap(({ answer }) => (answer as { subscriptions?: { id: string }[] }).subscriptions ?? []);
  await client.post("/event-subscriptions/end", { id: first?.id, user: "ada" });
  const refused = recorder.exchanges.length;
  await client.post("/event-subscriptions/end-matching", {});
  await client.post("/events/emit", { name: "no.such", arguments: {}, payload: {} });
  await client.call("GET", "/app", undefined, "Bearer nonsense");
  expect(recorder.exchanges.slice(refused).map(({ status }) => status)).toEqual([400, 404, 401]);

  for (const [place, { path, request, status, answer }] of recorder.exchanges.entries()) {
    const [asked, answered] = CALLS[path] ?? [undefined, `no shape for ${path}`];
    if (asked !== undefined && place < refused) expect(faults(asked, request), path).toEqual([]);
    expect(faults(status === 200 ? answered : "ErrorAnswer", answer), path).toEqual([]);
  }
  const answeredWell = new Set(recorder.exchanges.filter(({ status }) => status === 200).map(({ path }) => path));
  expect([...answeredWell].sort()).toEqual(Object.keys(CALLS).sort());
});
