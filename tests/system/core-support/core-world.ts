import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { startCore } from "@wakeshift/core";
import type { CoreOptions, RunningCore } from "@wakeshift/core";
import { onTestFinished } from "vitest";
import { AppClient } from "./core-client.ts";
import type { JsonAnswer } from "./core-client.ts";

/** JSON Schema of an object with these properties, all of them required but the ones named optional. */
export function objectSchema(properties: Record<string, unknown>, optional: readonly string[] = []): Record<string, unknown> {
  return { type: "object", properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

export const CRAWL = {
  name: "crawl.finished",
  description: "A crawl finished",
  arguments: objectSchema({ job: { type: "string" } }),
  payload: objectSchema({ status: { type: "string", enum: ["done", "failed"] }, note: { type: "string" } }, ["note"]),
};

/** An event with nothing to match: any payload. */
export const FREE = { name: "free.form", description: "Anything", arguments: { type: "object" }, payload: { type: "object" } };

/** A personal event. */
export const TURN = {
  name: "game.turn",
  description: "Your move",
  arguments: objectSchema({ table: { type: "string" } }),
  payload: { type: "object" },
  access: ["personal"],
};

export const SDK = { language: "typescript", version: "0.11.0" };
export const ADMIN_TOKEN = randomBytes(24).toString("hex");

/** A core of one test, with one app. */
export interface CoreWorld {
  readonly core: RunningCore;
  readonly url: string;
  readonly app: AppClient;
  readonly appId: string;
  readonly dataDir: string;
  /** Lines the core logged. */
  readonly log: string[];
  /** Makes a further app. */
  addApp(name: string): Promise<AppClient>;
  /** A call of the wake API, or of any path. */
  fetchJson(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<JsonAnswer>;
}

/** Starts a core in a folder of its own, and stops it when the test is over. */
export async function startWorld(options: CoreOptions = {}, events: readonly unknown[] = [CRAWL, FREE]): Promise<CoreWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), "wakeshift-core-"));
  const log: string[] = [];
  const core = await startCore({
    port: 0,
    dataDir,
    adminToken: ADMIN_TOKEN,
    logLevel: "debug",
    logDestination: { write: (line) => log.push(line) },
    ...options,
  });
  onTestFinished(async () => {
    await core.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { url } = core;
  const fetchJson: CoreWorld["fetchJson"] = async (method, path, body, headers = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: text }),
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  let appId = "";
  const addApp = async (name: string): Promise<AppClient> => {
    const { status, body } = await fetchJson("POST", "/api/admin/v1/apps", { name }, { Authorization: `Bearer ${ADMIN_TOKEN}` });
    if (status !== 201) throw new Error(`no app: ${JSON.stringify(body.error)}`);
    appId ||= body.id;
    return new AppClient(url, body.key.key, body.key.key_id);
  };
  const app = await addApp("Crawler");
  if (events.length > 0) {
    const { status, body } = await app.call("PUT", "/manifest", { sdk: SDK, events });
    if (status !== 200) throw new Error(`no manifest: ${JSON.stringify(body.error)}`);
  }
  return { core, url, app, appId, dataDir, log, addApp, fetchJson };
}

/** One subscription, as its tool's result would carry it. */
export interface Subscribed {
  readonly id: string;
  readonly ticket: string;
  readonly session: string;
  readonly body: any;
}

/** Subscribes as the tool `start_crawl` would. */
export async function subscribe(
  app: AppClient,
  changes: Record<string, unknown> = {},
  call: Record<string, unknown> = {},
): Promise<Subscribed> {
  const request = {
    call: { client: "codex-mcp-client", tool: "start_crawl", call_id: randomBytes(8).toString("hex"), ...call },
    name: CRAWL.name,
    arguments: { job: "a" },
    ...changes,
  };
  const { status, body } = await app.post("/event-subscriptions", request);
  if (status !== 200) throw new Error(`not subscribed: ${status} ${JSON.stringify(body)}`);
  const [entry] = body.addition.meta["ai.wakeshift/subscription"];
  return { id: body.event_subscription.id, ticket: entry.ticket, session: body.session, body };
}

/** Emits `crawl.finished`, and gives the occurrence's id. */
export async function emit(app: AppClient, changes: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await app.post("/events/emit", {
    name: CRAWL.name,
    arguments: { job: "a" },
    payload: { status: "done" },
    text: "The crawl is done.",
    ...changes,
  });
  if (status !== 200) throw new Error(`not emitted: ${status} ${JSON.stringify(body)}`);
  return body.id;
}
