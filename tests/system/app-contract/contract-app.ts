import assert from "node:assert/strict";
import type { ContractCore, ContractWake } from "./contract-world.ts";

export const MINUTE = 60_000;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;

const SDK = { language: "typescript", version: "0.11.0" };

function object(properties: readonly string[], optional: readonly string[] = []): object {
  const all = [...properties, ...optional];
  return { type: "object", properties: Object.fromEntries(all.map((name) => [name, { type: "string" }])), required: properties };
}

export const CRAWL = {
  name: "crawl.finished",
  description: "A crawl finished",
  arguments: object(["job"]),
  payload: object(["status"]),
  access: [],
};
export const BUILD = { ...CRAWL, name: "build.done", arguments: object(["repo"], ["branch"]), payload: { type: "object" } };
export const TURN = { ...CRAWL, name: "game.turn", arguments: object(["table"]), access: ["personal"] };
export const NEWS = { ...CRAWL, name: "news.out", arguments: object([]), access: ["public"] };
export const GATED = { ...CRAWL, name: "ci.finished", access: ["authorize"] };

/** What a subscribe gave. */
export interface Made {
  readonly id: string;
  readonly session: string;
  readonly created: boolean;
  readonly body: any;
}

/** An app with its events published, and calls with everything not under test filled in. */
export class ContractApp {
  readonly core: ContractCore;

  constructor(core: ContractCore) {
    this.core = core;
  }

  publish(...events: readonly object[]): Promise<{ readonly status: number; readonly body: any }> {
    return this.core.ask("PUT", "/manifest", { sdk: SDK, events });
  }

  post(path: string, body: object): Promise<{ readonly status: number; readonly body: any }> {
    return this.core.ask("POST", path, body);
  }

  /** Asks what must be taken. */
  async good(path: string, body: object): Promise<any> {
    const answer = await this.post(path, body);
    assert.equal(answer.status, 200, `${path} answered ${String(answer.status)} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Asks what must be refused; by this code, and its status. */
  async refused(path: string, body: object, code: string, status: number): Promise<any> {
    const answer = path === "/manifest" ? await this.core.ask("PUT", path, body) : await this.post(path, body);
    assert.deepEqual([answer.body.error?.code, answer.status], [code, status], JSON.stringify(answer.body));
    assert.equal(typeof answer.body.error.message, "string");
    return answer.body;
  }

  request(changes: object = {}, call: object = {}): object {
    return { call: { client: "codex-mcp-client", tool: "start_crawl", ...call }, name: CRAWL.name, arguments: { job: "a" }, ...changes };
  }

  async subscribe(changes: object = {}, call: object = {}): Promise<Made> {
    const body = await this.good("/event-subscriptions", this.request(changes, call));
    return { id: body.event_subscription.id, session: body.session, created: body.event_subscription.created, body };
  }

  emit(changes: object = {}): Promise<any> {
    return this.good("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" }, ...changes });
  }

  async ended(path: string, body: object): Promise<number> {
    return (await this.good(path, body)).ended;
  }

  async listed(call: object): Promise<readonly any[]> {
    return (await this.good("/event-subscriptions/list", call)).subscriptions;
  }

  wakes(): Promise<readonly ContractWake[]> {
    return this.core.wakes();
  }

  /** The ids that reached one subscription. */
  async woken(made: Made): Promise<readonly string[]> {
    return (await this.wokenEach(made))[0] ?? [];
  }

  /** The ids that reached each of these subscriptions. */
  async wokenEach(...made: readonly Made[]): Promise<readonly (readonly string[])[]> {
    const wakes = await this.wakes();
    return made.map(({ id }) => wakes.filter((wake) => wake.subscription === id).map((wake) => wake.occurrence));
  }
}

/** One case of the suite. */
export type Exercise = (title: string, body: (app: ContractApp) => Promise<void>) => void;
