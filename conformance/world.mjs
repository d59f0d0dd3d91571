import { randomBytes, randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Gateway } from "./gateway.mjs";
import { OlderSdk } from "./older-sdk.mjs";
import { StdioWire } from "./stdio-wire.mjs";
import { WAYS } from "./ways.mjs";
import { Wire } from "./wire.mjs";

const META = "ai.wakeshift/subscription";
const START_MS = 60_000;
const CLI = join(import.meta.dirname, "..", "packages", "cli", "dist", "main.js");

/** A core, the server under test as often as it is needed, and what agents' programs and their bridge do with them. */
export class World {
  #admin = randomBytes(24).toString("base64url");
  #app;
  #children = new Set();
  #closers = [];
  #command;
  #core;
  #folder = mkdtempSync(join(tmpdir(), "wakeshift-conformance-"));
  #gateway = new Gateway();
  #holder = randomBytes(32).toString("base64url");
  #servers = new Map();
  #shared = new Map();
  #url;

  /** @param {readonly string[]} command starts the server under test */
  constructor(command) {
    this.#command = command;
  }

  async start() {
    this.#url = await this.#gateway.listen();
    const env = {
      ...process.env,
      WAKESHIFT_HOME: this.#folder,
      WAKESHIFT_PUBLIC_URL: this.#url,
      WAKESHIFT_ADMIN_TOKEN: this.#admin,
      WAKESHIFT_LOG_LEVEL: "error",
    };
    const ready = await this.#spawn(process.execPath, [CLI, "serve", "--port", "0", "--data", this.#folder, "--json"], env);
    this.#core = ready.url;
    this.#gateway.leadTo(ready.url);
    this.#app = await this.newApp();
  }

  async close() {
    for (const close of this.#closers.splice(0).reverse()) await close().catch(() => undefined);
    const gone = [...this.#children].map((child) => new Promise((resolve) => child.once("exit", resolve)));
    for (const child of this.#children) child.kill("SIGTERM");
    const force = setTimeout(() => {
      for (const child of this.#children) child.kill("SIGKILL");
    }, 5_000);
    await Promise.all(gone);
    clearTimeout(force);
    await this.#gateway.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** This world, with its agents coming by one way of {@link WAYS}. */
  by(way) {
    return new Way(this, way);
  }

  /** Another app of the same core, `{ id, key, keyId }`: for what must not touch the others. */
  async newApp() {
    const { id, key } = await this.#asOperator("POST", "/apps", { name: `app-${randomUUID()}` });
    return { id, key: key.key, keyId: key.key_id };
  }

  /** An SDK from before the openness rule, in the hands of this app. */
  olderSdk(app) {
    return new OlderSdk(this.#url, app.key);
  }

  /** How the openness of an app's events changed, the newest first. */
  async accessChanges(app) {
    return (await this.#asOperator("GET", `/apps/${app.id}/access-changes`)).access_changes;
  }

  /** What the core recognized as the agent of a result's subscription. */
  agentOf(result) {
    return this.#gateway.agentOf(entriesOf(result)[0]?.id);
  }

  /** What the app's server published last; without an app: what the one that most checks use did. */
  manifestOf(app = this.#app) {
    return this.#gateway.manifestOf(app.keyId);
  }

  /** Takes the core away from this app's servers. */
  cut(app) {
    this.#gateway.cut(app.keyId);
  }

  /** Brings it back. */
  mend(app) {
    this.#gateway.mend(app.keyId);
  }

  /** Where the server listens that was started with these flags, for this app. */
  serve(flags, app = this.#app) {
    const name = [app.keyId, ...flags].join(" ");
    const [command, ...args] = this.#command;
    if (!this.#servers.has(name))
      this.#servers.set(
        name,
        this.#spawn(command, [...args, ...flags], this.#envOf(app)).then((ready) => ready.url),
      );
    return this.#servers.get(name);
  }

  /** What checks share: made once, by the first that asks. */
  shared(name, make) {
    if (!this.#shared.has(name)) this.#shared.set(name, make());
    return this.#shared.get(name);
  }

  /** Starts a server of its own, on stdin and stdout. */
  stdioTransport(flags, app = this.#app) {
    const [command, ...args] = this.#command;
    return new StdioClientTransport({ command, args: [...args, ...flags], env: this.#envOf(app), stderr: "inherit" });
  }

  async connect(client, transport) {
    await client.connect(transport);
    this.#closers.push(() => client.close());
    return new Agent(client, this);
  }

  async open(wire) {
    this.#closers.push(() => wire.close());
    await wire.open();
    return wire;
  }

  /** What hands this ticket's occurrences to a program: waits up to `waitMs`, and acks what comes. */
  async next(ticket, waitMs) {
    const { wakes } = await this.#asBridge("/next", { tickets: [ticket], wait_ms: waitMs });
    for (const { occurrence } of wakes) await this.#asBridge("/ack", { acks: [{ ticket, occurrence, state: "handed" }] });
    return wakes;
  }

  #envOf(app) {
    return { ...process.env, WAKESHIFT_CORE: this.#url, WAKESHIFT_KEY: app.key };
  }

  #asBridge(path, body) {
    return this.#ask(`/api/wakes/v1${path}`, { method: "POST", body: JSON.stringify({ holder: this.#holder, ...body }) });
  }

  #asOperator(method, path, body) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.#ask(`/api/admin/v1${path}`, { method, ...sent, headers: { authorization: `Bearer ${this.#admin}` } });
  }

  async #ask(path, { headers, ...request }) {
    const answer = await fetch(`${this.#core}${path}`, { ...request, headers: { "content-type": "application/json", ...headers } });
    if (!answer.ok) throw new Error(`the core answered ${path} with ${answer.status}`);
    return answer.json();
  }

  /** Resolves with the JSON of the first line the process prints. */
  #spawn(command, args, env) {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    this.#children.add(child);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${command} ${args.join(" ")} said nothing for a minute`)), START_MS);
      child.once("error", reject);
      child.once("exit", (code) => {
        this.#children.delete(child);
        reject(new Error(`${command} ${args.join(" ")} ended with ${code}`));
      });
      createInterface({ input: child.stdout }).once("line", (line) => {
        clearTimeout(timer);
        resolve(JSON.parse(line));
      });
    });
  }
}

/** What a check is given: the world, and agents that come to the server by one way. */
export class Way {
  #way;

  constructor(world, name) {
    this.world = world;
    this.name = name;
    this.#way = WAYS[name];
  }

  /** The same world, by another way. */
  by(name) {
    return this.world.by(name);
  }

  /**
   * A program that speaks MCP by the official client. `user` signs it in, or `token` does; `flags` asks for a server started with
   * these too, `app` for one of that app. Checks that ask for the same share it.
   * @param {{ user?: string, token?: string, name?: string, capabilities?: object, flags?: readonly string[], headers?: Record<string, string>, app?: object }} [options]
   */
  client(options = {}) {
    // Connecting and listing cost more than what most checks do then; each of them has ids of its own.
    return this.world.shared(JSON.stringify({ ...options, way: this.name, app: options.app?.keyId }), () => this.#connect(options));
  }

  async #connect({ user, token, name = "codex-mcp-client", capabilities = {}, flags = [], headers = {}, app }) {
    const { era, flags: own } = this.#way;
    const negotiation = era === "2026-07-28" ? { versionNegotiation: { mode: { pin: era } } } : {};
    const client = new Client({ name, version: "1.0.0" }, { capabilities, ...negotiation });
    const all = [...own, ...flags];
    if (own.includes("--stdio")) return this.world.connect(client, this.world.stdioTransport(all, app));
    const url = new URL(await this.world.serve(all, app));
    const sent = { ...headers, ...authorizationOf(user, token) };
    return this.world.connect(client, new StreamableHTTPClientTransport(url, { requestInit: { headers: sent } }));
  }

  /**
   * A program whose requests the check writes itself: see {@link Wire}. On stdin and stdout it has a server of its own, and neither
   * headers nor a token: see {@link StdioWire}.
   * @param {{ user?: string, token?: string, info?: object, capabilities?: object, headers?: Record<string, string> }} [options]
   */
  async wire({ user, token, info, capabilities, headers = {} } = {}) {
    const { era, flags } = this.#way;
    if (flags.includes("--stdio"))
      return this.world.open(new StdioWire({ transport: this.world.stdioTransport(flags), era, info, capabilities }));
    const url = await this.world.serve(flags);
    const wire = new Wire({ url, era, info, capabilities, headers: { ...headers, ...authorizationOf(user, token) } });
    if (this.name === "sessions") await wire.initialize();
    return wire;
  }
}

/** One conversation with the server, and the bridge beside it. */
export class Agent {
  #client;
  #world;

  constructor(client, world) {
    this.#client = client;
    this.#world = world;
  }

  /** What the server declared of itself. */
  get capabilities() {
    return this.#client.getServerCapabilities();
  }

  async tools() {
    return new Map((await this.listed()).map((tool) => [tool.name, tool]));
  }

  async listed() {
    return (await this.#client.listTools()).tools;
  }

  call(name, args = {}, { meta, ...options } = {}) {
    return this.#client.callTool({ name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }, options);
  }

  /** The structured content of a call that must succeed. */
  async ask(name, args) {
    const result = await this.call(name, args);
    if (result.isError) throw new Error(`${name} failed: ${result.content?.[0]?.text}`);
    return result.structuredContent;
  }

  emit(event, args, options = {}) {
    return this.ask("emit", { event, arguments: args, payload: { status: "done" }, ...options });
  }

  /** What reaches a result's subscriptions, waiting for it. */
  async woken(result, waitMs = 10_000) {
    const wakes = [];
    for (const { ticket } of entriesOf(result)) wakes.push(...(await this.#world.next(ticket, waitMs)));
    return wakes;
  }
}

/** The entries of a result's `_meta`. */
export function entriesOf(result) {
  const entries = result._meta?.[META] ?? [];
  if (!Array.isArray(entries)) throw new Error(`_meta["${META}"] is no list`);
  return entries;
}

/** The session key in a result's text. */
export function sessionKeyOf(result) {
  return /wsk_[A-Za-z0-9]{32}/.exec(result.content?.at(-1)?.text ?? "")?.[0];
}

/** An id nobody else uses. */
export function freshId() {
  return randomUUID();
}

function authorizationOf(user, token = user === undefined ? undefined : `token-of-${user}`) {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
