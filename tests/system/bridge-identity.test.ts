import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type CoreStatus, registerLocalCore } from "@wakeshift/bridge";
import { describe, expect, onTestFinished, test } from "vitest";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { cliWorld } from "./cli-support/cli-world.ts";
import type { CliWorld } from "./cli-support/cli-world.ts";
import { AppClient } from "./core-support/core-client.ts";
import { CRAWL, emit, SDK, startWorld, subscribe } from "./core-support/core-world.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}

interface DevCore {
  readonly url: string;
  kill(): Promise<void>;
}

/** `wakeshift dev` as a process of its own. */
async function dev(cli: CliWorld, port: number, data: string): Promise<DevCore> {
  const { first, child } = await cli.start<{ url: string }>(["dev", "--port", String(port), "--data", join(cli.home, data)]);
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return { url: first.url, kill: () => (child.kill("SIGKILL"), gone) };
}

/** The app `dev` of a core that runs, with an event. */
async function devApp(cli: CliWorld, url: string, data: string): Promise<AppClient> {
  const { key } = await cli.json<{ key: { key: string; id: string } }>(["key", "create", "dev", "--data", join(cli.home, data)]);
  const app = new AppClient(url, key.key, key.id);
  const { status } = await app.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
  expect(status).toBe(200);
  return app;
}

interface Asked {
  readonly path: string;
  readonly body: string;
}

/** A listener at a port that notes all it is sent. */
async function listen(port: number, answer: (asked: Asked, response: ServerResponse) => void): Promise<Asked[]> {
  const all: Asked[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const asked = { path: request.url ?? "", body };
      all.push(asked);
      answer(asked, response);
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return all;
}

const coreOf = async (bridge: BridgeWorld): Promise<CoreStatus | undefined> => (await bridge.status()).cores[0];
const connected = (bridge: BridgeWorld): Promise<unknown> => until("the stream", async () => (await coreOf(bridge))?.connected);

/** A machine with `dev`, and a conversation that is subscribed there and receives. */
async function subscribedMachine(): Promise<{
  cli: CliWorld;
  bridge: BridgeWorld;
  port: number;
  core: DevCore;
  app: AppClient;
  ticket: string;
}> {
  const cli = cliWorld();
  const bridge = await startBridgeWorld({ folder: join(cli.home, "wakeshift") });
  const port = await freePort();
  const core = await dev(cli, port, "first");
  const app = await devApp(cli, core.url, "first");
  const subscribed = await subscribe(app);
  await bridge.report([subscribed]);
  await connected(bridge);
  return { cli, bridge, port, core, app, ticket: subscribed.ticket };
}

describe("a core is known by more than its address", () => {
  test("while another core answers there the subscription is kept, status and doctor say so, and the wake arrives once its own is back", async () => {
    const { cli, bridge, port, core, app } = await subscribedMachine();
    await core.kill();
    const other = await dev(cli, port, "other");
    const held = await until("the bridge to have asked the other core", async () => (await coreOf(bridge))?.held);
    expect(held).toEqual({ subscriptions: 1, because: "other_core" });
    expect(await bridge.status()).toMatchObject({
      subscriptions: 1,
      cores: [{ connected: false, detail: expect.stringContaining("another core") }],
    });
    const doctor = await cli.run(["doctor", "--json"]);
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; ok: boolean; detail: string; fix: string }[] };
    expect(checks.find((check) => check.check === `core ${core.url}`)).toMatchObject({
      ok: false,
      detail: expect.stringContaining("another core answers"),
      fix: expect.stringContaining("database"),
    });
    // Who subscribes at the core that is there now is served beside.
    const newer = await subscribe(await devApp(cli, other.url, "other"), { arguments: { job: "b" } });
    await bridge.report([newer], { conversation: "conversation-2" });
    await connected(bridge);
    expect((await coreOf(bridge))?.held).toEqual({ subscriptions: 1, because: "other_core" });
    await other.kill();
    await dev(cli, port, "first");
    const occurrence = await emit(app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
    expect(await coreOf(bridge)).toMatchObject({ connected: true, held: { subscriptions: 1, because: "other_core" } });
  });

  test("a listener at the address of a core that is down gets neither ticket nor holder, nor an ack, whatever it answers", async () => {
    const { cli, bridge, port, core, app, ticket } = await subscribedMachine();
    await emit(app);
    const { wake } = await bridge.take();
    await core.kill();
    const asked = await listen(port, (_asked, response) => void response.setHeader("content-type", "application/json").end("{}"));
    await bridge.outcome(wake?.delivery ?? "", "seen");
    await until("the listener to be asked again and again", () => asked.length > 4);
    expect(new Set(asked.map((one) => one.path))).toEqual(new Set(["/api/wakes/v1/hello"]));
    for (const { body } of asked) {
      expect(Object.keys(JSON.parse(body) as object).sort()).toEqual(["address", "nonce"]);
      expect(body).not.toContain(ticket);
    }
    expect(await bridge.status()).toMatchObject({ subscriptions: 1, unsent_acks: 1, cores: [{ held: { because: "unproven" } }] });
    const text = await cli.run(["status"]);
    expect(text.stdout).toContain("can't prove that it is the core started on this machine");
  });

  test("a listener that passes the question on to the real core, which moved to another port, gets no ticket", async () => {
    const { cli, bridge, port, core } = await subscribedMachine();
    await core.kill();
    const moved = await dev(cli, await freePort(), "first");
    let passedOn = 0;
    const asked = await listen(port, (one, response) => {
      const ways = [one.body, one.body.replace(String(port), new URL(moved.url).port)];
      const body = ways[(passedOn += 1) % 2] ?? "";
      void fetch(moved.url + one.path, { method: "POST", headers: { "content-type": "application/json" }, body }).then(async (answer) =>
        response.setHeader("content-type", "application/json").end(await answer.text()),
      );
    });
    await until("both ways to be tried", () => passedOn > 4);
    expect(new Set(asked.map((one) => one.path))).toEqual(new Set(["/api/wakes/v1/hello"]));
    expect((await coreOf(bridge))?.held).toEqual({ subscriptions: 1, because: "unproven" });
  });

  test("a ticket from before cores had ids is its core's from the first contact on", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    const { body } = await subscribe(core.app);
    const { coreId, ...entry } = body.addition.meta["ai.wakeshift/subscription"][0];
    const meta = { "ai.wakeshift/subscription": [entry] };
    await bridge.report([], { results: [{ tool: "start_crawl", meta }] });
    await connected(bridge);
    await until("the id on disk", () => readFileSync(bridge.home.tickets, "utf8").includes(`"coreId":"${coreId}"`));
    const occurrence = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });

  test("what can't prove itself is taken all the same once its user allows it", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld();
    registerLocalCore(bridge.home.folder, core.url, "a secret that this core doesn't know");
    await bridge.report([await subscribe(core.app)]);
    await until("the core to be asked", async () => (await coreOf(bridge))?.held?.because === "unproven");
    expect((await bridge.call("POST", "/v1/allow", { origin: core.url })).status).toBe(200);
    await connected(bridge);
    const occurrence = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });
});
