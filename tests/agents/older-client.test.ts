import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { RunningCore } from "@wakeshift/core";
import { createApp, startCore } from "@wakeshift/core";
import type { SubscriptionMetaEntry, Wake } from "@wakeshift/protocol";
import { formatAppKey } from "@wakeshift/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { OlderServer, OlderSurroundings } from "./support/older-client.ts";
import type { Started } from "./support/processes.ts";
import { startOlderServer } from "./support/older-client.ts";
import { kill, start } from "./support/processes.ts";

type Json = Readonly<Record<string, unknown>>;

interface Result {
  readonly text: string;
  readonly isError: boolean;
  readonly entries: readonly SubscriptionMetaEntry[];
}

let core: RunningCore;
let folder: string;
let server: OlderServer;
let key: string;
const clients: Client[] = [];
const running: Started[] = [];

const surroundings = (): OlderSurroundings => ({
  core: core.url,
  run: (command, args, options) => {
    const started = start(command, args, {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, LANG: "C.UTF-8", ...options.env },
    });
    running.push(started);
    return started;
  },
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wakeshift-older-"));
  core = await startCore({ port: 0, dataDir: folder, logDestination: { write: () => undefined } });
  const created = await createApp({ store: core.store, now: () => Date.now(), randomBytes: (length) => randomBytes(length) }, "orders");
  key = created.key.key;
  server = await startOlderServer(surroundings(), key);
}, 240_000);

afterAll(async () => {
  for (const client of clients) await client.close().catch(() => undefined);
  for (const { pid } of running) kill(pid);
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(options: { readonly name?: string; readonly user?: string; readonly url?: string } = {}): Promise<Client> {
  const client = new Client({ name: options.name ?? "opencode", version: "1.18.33" });
  const headers = options.user === undefined ? {} : { "x-user": options.user };
  await client.connect(new StreamableHTTPClientTransport(new URL(options.url ?? server.url), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, args: Json): Promise<Result> {
  const result = (await client.callTool({ name, arguments: args })) as {
    content: { type: string; text: string }[];
    isError?: boolean;
    _meta?: Json;
  };
  return {
    text: result.content.map((part) => part.text).join("\n"),
    isError: result.isError === true,
    entries: (result._meta?.["ai.wakeshift/subscription"] ?? []) as SubscriptionMetaEntry[],
  };
}

async function emit(client: Client, args: Json): Promise<Json> {
  return JSON.parse((await call(client, "emit", { event: "order.changed", ...args })).text) as Json;
}

function sessionKeyIn(text: string): string {
  return /wsk_[0-9A-Za-z]{32}/.exec(text)?.[0] ?? "";
}

async function wakeApi(path: string, body: Json): Promise<Json> {
  const response = await fetch(`${core.url}/api/wakes/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Json;
  if (!response.ok) throw new Error(`${path} answered ${String(response.status)}: ${JSON.stringify(answer)}`);
  return answer;
}

async function nextWakes(holder: string, ticket: string, waitMs = 5_000): Promise<readonly Wake[]> {
  return (await wakeApi("next", { holder, tickets: [ticket], wait_ms: waitMs }))["wakes"] as readonly Wake[];
}

const newHolder = (): string => randomBytes(32).toString("base64url");

describe("the published package wakeshift 0.3.0, unmodified, on this core", () => {
  it("learns which app its key is", async () => {
    const client = await connect();
    expect(JSON.parse((await call(client, "app", {})).text)).toMatchObject({
      name: "orders",
      id: expect.stringMatching(/^app_/) as string,
    });
  });

  it("subscribes from the author's own tool; the ticket in the result receives the occurrence, acks it, and gets no second one", async () => {
    const client = await connect();
    const result = await call(client, "watch_order", { order: "tool-1" });
    expect(result.isError).toBe(false);
    expect(result.text).toContain("Watching order tool-1.");
    expect(sessionKeyIn(result.text)).not.toBe("");
    expect(result.text).not.toContain("wkt_");
    expect(result.entries).toHaveLength(1);
    const [entry] = result.entries;
    expect(entry).toMatchObject({
      v: 1,
      core: core.url,
      event: "order.changed",
      arguments: { order: "tool-1" },
      tool: "watch_order",
      app: { name: "orders" },
    });

    expect(await emit(client, { args: { order: "tool-1" }, payload: { status: "shipped" }, id: "change-1" })).toEqual({
      matched: 1,
      duplicate: false,
    });
    const holder = newHolder();
    const ticket = entry?.ticket ?? "";
    const [wake] = await nextWakes(holder, ticket);
    expect(wake).toMatchObject({
      occurrence: "change-1",
      event: "order.changed",
      text: "Order tool-1 is shipped",
      payload: { status: "shipped" },
      arguments: { order: "tool-1" },
    });
    expect((await wakeApi("ack", { holder, acks: [{ ticket, occurrence: "change-1", state: "handed" }] }))["acks"]).toEqual([
      { occurrence: "change-1", result: "ok" },
    ]);
    expect(await nextWakes(holder, ticket, 0)).toEqual([]);
  });

  it("subscribes through subscribe_events, which an event of so old a package stays open to, and renews with the session key", async () => {
    const client = await connect();
    const first = await call(client, "subscribe_events", { event: "order.changed", arguments: { order: "built-in" } });
    expect(first).toMatchObject({
      isError: false,
      text: expect.stringContaining('Subscribed to order.changed {"order":"built-in"}.') as string,
    });
    expect(first.entries[0]).toMatchObject({ tool: "subscribe_events", event: "order.changed" });
    const again = await call(client, "subscribe_events", {
      event: "order.changed",
      arguments: { order: "built-in" },
      session_key: sessionKeyIn(first.text),
    });
    expect(again.text).toContain('Already subscribed to order.changed {"order":"built-in"}: renewed.');
    expect(again.entries[0]?.id).toBe(first.entries[0]?.id);
    expect(await emit(client, { args: { order: "built-in" }, payload: { status: "x" } })).toEqual({ matched: 1, duplicate: false });
  });

  it("emits one id once", async () => {
    const client = await connect();
    const watched = await call(client, "watch_order", { order: "twice" });
    const occurrence = { args: { order: "twice" }, payload: { status: "paid" }, id: "twice-1" };
    expect(await emit(client, occurrence)).toEqual({ matched: 1, duplicate: false });
    expect(await emit(client, occurrence)).toMatchObject({ duplicate: true });
    const holder = newHolder();
    const ticket = watched.entries[0]?.ticket ?? "";
    expect((await nextWakes(holder, ticket)).map((wake) => wake.occurrence)).toEqual(["twice-1"]);
  });

  it("filters by an optional argument on the payload's field of that name", async () => {
    const client = await connect();
    const watched = await call(client, "subscribe_events", { event: "order.changed", arguments: { order: "filter", status: "shipped" } });
    expect(watched.isError).toBe(false);
    await emit(client, { args: { order: "filter" }, payload: { status: "paid" }, id: "filter-paid" });
    await emit(client, { args: { order: "filter" }, payload: { status: "shipped" }, id: "filter-shipped" });
    expect((await nextWakes(newHolder(), watched.entries[0]?.ticket ?? "")).map((wake) => wake.occurrence)).toEqual(["filter-shipped"]);
  });

  it("gives a personal event to the user it names, and to no other", async () => {
    const [ann, bob, nobody] = [await connect({ user: "ann" }), await connect({ user: "bob" }), await connect()];
    const subscribe = (client: Client): Promise<Result> =>
      call(client, "subscribe_events", { event: "note.added", arguments: { board: "b" } });
    const [forAnn, forBob] = [await subscribe(ann), await subscribe(bob)];
    expect((await subscribe(nobody)).isError).toBe(true);
    expect(
      JSON.parse(
        (await call(ann, "emit", { event: "note.added", args: { board: "b" }, payload: { text: "hello Ann" }, to: "ann", id: "note-1" }))
          .text,
      ),
    ).toEqual({ matched: 1, duplicate: false });
    expect((await nextWakes(newHolder(), forAnn.entries[0]?.ticket ?? "")).map((wake) => wake.text)).toEqual(["hello Ann"]);
    expect(await nextWakes(newHolder(), forBob.entries[0]?.ticket ?? "", 0)).toEqual([]);
  });

  it("lists a user's subscriptions and ends one by its id", async () => {
    const client = await connect({ user: "carol" });
    expect((await call(client, "list_subscriptions", {})).text).toBe("You have no subscriptions to this app's events.");
    const made = await call(client, "subscribe_events", { event: "order.changed", arguments: { order: "listed" } });
    const id = made.entries[0]?.id ?? "";
    const listed = await call(client, "list_subscriptions", {});
    expect(listed.text).toContain(
      `- ${id}: order.changed {"order":"listed"}, wakes a conversation, since ${new Date().toISOString().slice(0, 7)}`,
    );
    const other = await connect({ user: "dave" });
    expect((await call(other, "unsubscribe_events", { id })).text).toBe(
      `No subscription of yours has the id ${id}: it may have ended already.`,
    );
    expect((await call(client, "unsubscribe_events", { id })).text).toBe(`Stopped subscription ${id}.`);
    expect((await call(client, "list_subscriptions", {})).text).toBe("You have no subscriptions to this app's events.");
    expect((await wakeApi("next", { holder: newHolder(), tickets: [made.entries[0]?.ticket ?? ""], wait_ms: 0 }))["ended"]).toMatchObject([
      { reason: "ended" },
    ]);
  });

  it("ends a conversation's subscription by event and arguments, with its session key only", async () => {
    const client = await connect();
    const made = await call(client, "subscribe_events", { event: "order.changed", arguments: { order: "stop" } });
    const stop = { event: "order.changed", arguments: { order: "stop" } };
    const without = await call(client, "unsubscribe_events", stop);
    expect(without.text).not.toContain("Stopped");
    const session_key = sessionKeyIn(made.text);
    expect((await call(client, "unsubscribe_events", { ...stop, session_key })).text).toBe('Stopped order.changed {"order":"stop"}.');
    expect((await call(client, "unsubscribe_events", { ...stop, session_key })).text).toBe(
      'This conversation wasn\'t subscribed to order.changed {"order":"stop"}.',
    );
    expect(await emit(client, { args: { order: "stop" }, payload: { status: "x" } })).toEqual({ matched: 0, duplicate: false });
  });

  it("never adopts a session key of another app or of nobody, and gives a new one", async () => {
    const client = await connect();
    const made = await call(client, "watch_order", { order: "adopt" });
    const foreign = `wsk_${"0".repeat(32)}`;
    const result = await call(client, "watch_order", { order: "adopt-2", session_key: foreign });
    expect(result.isError).toBe(false);
    expect(sessionKeyIn(result.text)).not.toBe(foreign);
    expect(sessionKeyIn(result.text)).not.toBe(sessionKeyIn(made.text));
  });

  it("tells its agent plainly what was wrong: unknown event, arguments that don't match", async () => {
    const client = await connect();
    expect(await call(client, "subscribe_events", { event: "order.deleted", arguments: {} })).toMatchObject({
      isError: true,
      text: "This app offers no event named order.deleted.",
    });
    expect(await call(client, "subscribe_events", { event: "order.changed", arguments: {} })).toMatchObject({
      isError: true,
      text: expect.stringContaining("arguments for order.changed") as string,
    });
  });

  it("gets the core's refusal of a payload that is too large as a coded error", async () => {
    const client = await connect();
    const answer = await emit(client, { args: { order: "large" }, payload: { status: "x", note: "x".repeat(262_144) } });
    expect(answer).toMatchObject({ code: "payload_too_large", status: 413 });
  });

  it("refuses a mistyped key at its start, and a key of nobody with a coded error that doesn't hold it", async () => {
    const mistyped = `${key.slice(0, -1)}${key.endsWith("1") ? "2" : "1"}`;
    await expect(startOlderServer(surroundings(), mistyped)).rejects.toThrow("cut short or mistyped");
    const unknown = formatAppKey(new Uint8Array(randomBytes(32)));
    const stranger = await startOlderServer(surroundings(), unknown);
    const client = await connect({ url: stranger.url });
    const answer = JSON.parse((await call(client, "app", {})).text) as Json;
    expect(answer).toMatchObject({ code: "unauthorized", status: 401 });
    const refused = await call(client, "watch_order", { order: "x" });
    expect(refused.isError).toBe(true);
    for (const text of [JSON.stringify(answer), refused.text, stranger.started.stderr, stranger.started.stdout])
      expect(text).not.toContain(unknown);
  });

  it("works over stateless HTTP too", async () => {
    const stateless = await startOlderServer(surroundings(), key, { stateless: true });
    const client = await connect({ url: stateless.url });
    const result = await call(client, "watch_order", { order: "stateless" });
    expect(result.entries).toHaveLength(1);
    expect(await emit(client, { args: { order: "stateless" }, payload: { status: "x" } })).toEqual({ matched: 1, duplicate: false });
  });

  it("has its native clients told that the events/* methods aren't offered, not that the server broke", async () => {
    const client = await connect({ user: "erin", name: "some-native-client" });
    const delivery = { mode: "webhook", url: "https://example.com/hook", secret: `whsec_${randomBytes(24).toString("base64")}` };
    const request = client.request(
      { method: "events/subscribe", params: { name: "order.changed", arguments: { order: "n" }, delivery } },
      z.looseObject({}) as never,
    );
    // The package's own number for Unsupported.
    await expect(request).rejects.toMatchObject({ code: -32026 });
  });
});
