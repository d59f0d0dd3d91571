import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createApp, startCore } from "@wakeshift/core";
import type { RunningCore } from "@wakeshift/core";
import type { SubscriptionMetaEntry } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { Started } from "./support/processes.ts";
import { startOlderServer } from "./support/older-client.ts";
import { kill, start } from "./support/processes.ts";

type Json = Readonly<Record<string, unknown>>;

/** An app that runs on the published older package, and the means to put this SDK in its place. */
async function olderApp() {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-upgrade-"));
  const running: Started[] = [];
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const core = await startCore({ port: 0, dataDir: folder, logDestination: { write: () => undefined } });
  onTestFinished(() => core.close());
  onTestFinished(() => running.forEach(({ pid }) => kill(pid)));
  const { key } = await createApp({ store: core.store, now: () => Date.now(), randomBytes: (length) => randomBytes(length) }, "orders");
  const server = await startOlderServer(
    {
      core: core.url,
      run: (command, args, options) => {
        const env = { PATH: process.env["PATH"], HOME: folder, LANG: "C.UTF-8", ...options.env };
        const started = start(command, args, { cwd: folder, env });
        running.push(started);
        return started;
      },
    },
    key.key,
  );
  const connect = async (user?: string): Promise<Client> => {
    const client = new Client({ name: "opencode", version: "1.18.33" });
    const requestInit = { headers: user === undefined ? {} : { "x-user": user } };
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  };
  const log: LogEntry[] = [];
  const deploy = (): Wakeshift => new Wakeshift({ key: key.key, core: core.url, logger: (entry) => log.push(entry) });
  return { core, connect, log, deploy };
}

async function subscribe(client: Client, name: string, args: Json): Promise<{ readonly id: string; readonly ticket: string }> {
  const result = (await client.callTool({ name, arguments: { ...args } })) as { content: unknown; _meta?: Json };
  const [entry] = (result._meta?.["ai.wakeshift/subscription"] ?? []) as SubscriptionMetaEntry[];
  if (entry === undefined) throw new Error(`nothing was subscribed: ${JSON.stringify(result.content)}`);
  return { id: entry.id, ticket: entry.ticket };
}

async function look(
  core: RunningCore,
  ticket: string,
): Promise<{ readonly texts: readonly unknown[]; readonly ended: readonly unknown[] }> {
  const answer = await fetch(`${core.url}/api/wakes/v1/next`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ holder: "holder-of-this-test", tickets: [ticket], wait_ms: 0 }),
  });
  const { wakes, ended } = (await answer.json()) as { wakes: { text: string }[]; ended: { reason: string }[] };
  return { texts: wakes.map((wake) => wake.text), ended: ended.map((each) => each.reason) };
}

const ORDER = {
  description: "An order changed",
  args: z.object({ order: z.string(), status: z.string().optional() }),
  payload: z.object({ status: z.string(), note: z.string().optional() }),
  text: (payload: { readonly status: string }) => payload.status,
};
const NOTE = {
  description: "A note for you",
  args: z.object({ board: z.string() }),
  payload: z.object({ text: z.string() }),
  text: (payload: { readonly text: string }) => payload.text,
};

describe("an app that moves from the published package 0.3.0 to this SDK", () => {
  it("closes what declares nothing, and each instance says so once: subscribe_events' subscriptions end, tools' and personal ones stay (seed-272, seed-273, seed-274, seed-276, seed-277, seed-278, seed-279)", async () => {
    const { core, connect, log, deploy } = await olderApp();
    const [ann, nobody] = [await connect("ann"), await connect()];
    const tool = await subscribe(nobody, "watch_order", { order: "1" });
    const generic = [
      await subscribe(nobody, "subscribe_events", { event: "order.changed", arguments: { order: "1" } }),
      await subscribe(ann, "subscribe_events", { event: "order.changed", arguments: { order: "2", status: "shipped" } }),
    ];
    const note = await subscribe(ann, "subscribe_events", { event: "note.added", arguments: { board: "b" } });
    const instances = Array.from({ length: 4 }, () => {
      const wake = deploy();
      return { order: wake.defineEvent("order.changed", ORDER), note: wake.defineEvent("note.added", { ...NOTE, personal: true }) };
    });
    const [first] = instances;
    await Promise.all(instances.map(({ order }) => order.emit({ order: "1" }, { status: "shipped" }, { id: "shipped-1" })));
    await first?.note.emit({ board: "b" }, { text: "hello Ann" }, { to: "ann" });

    expect(log).toMatchObject(Array.from(instances, () => ({ level: "warn", code: "event_closed", event: "order.changed", ended: 2 })));
    expect(log[0]?.message).toMatch(/2 subscriptions .*To reopen it, define it with authorize, personal: true or public: true/);
    expect(await look(core, tool.ticket)).toEqual({ texts: ["shipped"], ended: [] });
    for (const { ticket } of generic) expect(await look(core, ticket)).toEqual({ texts: [], ended: ["revoked"] });
    expect(await look(core, note.ticket)).toEqual({ texts: ["hello Ann"], ended: [] });
    // The older instances that still run are held to it as well.
    const late = (await nobody.callTool({
      name: "subscribe_events",
      arguments: { event: "order.changed", arguments: { order: "3" } },
    })) as Json;
    expect(late["isError"]).toBe(true);
    expect((await subscribe(nobody, "watch_order", { order: "3" })).id).toMatch(/^sub_/);
    expect(log).toHaveLength(instances.length);
  });

  it("keeps open what it declares open, and reopens what it had closed, on record (seed-280, seed-281)", async () => {
    const { core, connect, log, deploy } = await olderApp();
    const client = await connect();
    const request = { event: "order.changed", arguments: { order: "1" } };
    const kept = await subscribe(client, "subscribe_events", request);
    const publish = async (openness: object): Promise<void> => {
      const event = deploy().defineEvent("order.changed", { ...ORDER, ...openness });
      await event.emit({ order: "1" }, { status: "x" });
    };
    await publish({ public: true });
    expect([log, await look(core, kept.ticket)]).toEqual([[], { texts: ["x"], ended: [] }]);
    await publish({});
    expect(log).toMatchObject([{ code: "event_closed", ended: 1 }]);
    expect((await look(core, kept.ticket)).ended).toEqual(["revoked"]);
    await publish({ authorize: () => true });
    expect((await subscribe(client, "subscribe_events", request)).id).not.toBe(kept.id);
    expect(log).toHaveLength(1);
    const [app] = await core.store.listApps();
    const changes = await core.store.listAccessChanges(app?.id ?? "", 10);
    expect(changes.map(({ before, after, ended }) => [before, after, ended])).toEqual([
      [[], ["authorize"], 0],
      [["public"], [], 1],
      [undefined, ["public"], 0],
    ]);
  });

  it("closes with 0 where only tools had subscribed, and strands and ends nobody where the event is declared personal (seed-276, seed-278)", async () => {
    const { core, connect, log, deploy } = await olderApp();
    const [ann, nobody] = [await connect("ann"), await connect()];
    const tools = [await subscribe(ann, "watch_order", { order: "1" }), await subscribe(nobody, "watch_order", { order: "1" })] as const;
    await deploy().defineEvent("order.changed", ORDER).emit({ order: "1" }, { status: "for both" });
    expect(log).toMatchObject([{ code: "event_closed", ended: 0 }]);
    for (const { ticket } of tools) expect((await look(core, ticket)).texts).toEqual(["for both"]);
    const mine = deploy().defineEvent("order.changed", { ...ORDER, personal: true });
    await mine.emit({ order: "1" }, { status: "for ann" }, { to: "ann" });
    expect(log.slice(1)).toMatchObject([{ code: "subscriptions_stranded", event: "order.changed", subscriptions: 2 }]);
    for (const { ticket } of tools) expect((await look(core, ticket)).ended).toEqual([]);
    const listed = await core.store.listSubscriptions({ appId: (await core.store.listApps())[0]?.id ?? "" }, Date.now());
    expect(listed.map(({ user, stranded }) => [user, stranded])).toEqual([
      ["ann", true],
      [undefined, true],
    ]);
    const anew = await subscribe(ann, "watch_order", { order: "2" });
    await mine.emit({ order: "2" }, { status: "hers" }, { to: "ann" });
    expect((await look(core, anew.ticket)).texts).toEqual(["hers"]);
  });
});
