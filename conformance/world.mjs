import { randomBytes, randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const META = "ai.wakeshift/subscription";
const START_MS = 60_000;
const CLI = join(import.meta.dirname, "..", "packages", "cli", "dist", "main.js");

/** A core, the server under test, and what one agent's program and bridge do with them. */
export class World {
  #core;
  #env;
  #children = new Set();
  #closers = [];
  #folder = mkdtempSync(join(tmpdir(), "wakeshift-conformance-"));
  #holder = randomBytes(32).toString("base64url");
  #servers = new Map();
  #command;

  /** @param {readonly string[]} command starts the server under test */
  constructor(command) {
    this.#command = command;
  }

  async start() {
    const home = { ...process.env, WAKESHIFT_HOME: this.#folder };
    const ready = await this.#spawn(process.execPath, [CLI, "dev", "--port", "0", "--data", this.#folder, "--json"], home);
    this.#core = ready.url;
    this.#env = { ...process.env, WAKESHIFT_CORE: ready.url, WAKESHIFT_KEY: readFileSync(ready.key_file, "utf8").trim() };
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
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * A client of the server. `user` signs it in; `flags` asks for a server started with these.
   * @param {{ user?: string, name?: string, flags?: readonly string[], headers?: Record<string, string> }} [options]
   */
  async client({ user, name = "codex-mcp-client", flags = [], headers = {} } = {}) {
    const url = await this.#serve(flags);
    const sent = { ...headers, ...(user === undefined ? {} : { authorization: `Bearer token-of-${user}` }) };
    return this.#connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: sent } }), name);
  }

  /** A client of a server of its own over stdio. */
  stdioClient() {
    const [command, ...args] = this.#command;
    return this.#connect(
      new StdioClientTransport({ command, args: [...args, "--stdio"], env: this.#env, stderr: "inherit" }),
      "codex-mcp-client",
    );
  }

  /** What hands this ticket's occurrences to a program: waits up to `waitMs`, and acks what comes. */
  async next(ticket, waitMs) {
    const { wakes } = await this.#ask("/next", { tickets: [ticket], wait_ms: waitMs });
    for (const { occurrence } of wakes) await this.#ask("/ack", { acks: [{ ticket, occurrence, state: "handed" }] });
    return wakes;
  }

  async #connect(transport, name) {
    const client = new Client({ name, version: "1.0.0" });
    await client.connect(transport);
    this.#closers.push(() => client.close());
    return new Agent(client, this);
  }

  async #ask(path, body) {
    const answer = await fetch(`${this.#core}/api/wakes/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ holder: this.#holder, ...body }),
    });
    if (!answer.ok) throw new Error(`the core answered ${path} with ${answer.status}`);
    return answer.json();
  }

  #serve(flags) {
    const key = flags.join(" ");
    const [command, ...args] = this.#command;
    if (!this.#servers.has(key))
      this.#servers.set(
        key,
        this.#spawn(command, [...args, ...flags], this.#env).then((ready) => ready.url),
      );
    return this.#servers.get(key);
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

/** One conversation with the server, and the bridge beside it. */
export class Agent {
  #client;
  #world;

  constructor(client, world) {
    this.#client = client;
    this.#world = world;
  }

  async tools() {
    return new Map((await this.#client.listTools()).tools.map((tool) => [tool.name, tool]));
  }

  call(name, args = {}, options = {}) {
    return this.#client.callTool({ name, arguments: args }, options);
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
