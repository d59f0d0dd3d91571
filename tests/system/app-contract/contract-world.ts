import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, startCore } from "@wakeshift/core";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { testingCore } from "@wakeshift/sdk/testing";
import { AppClient } from "../core-support/core-client.ts";

/** What reached one subscription. */
export interface ContractWake {
  readonly occurrence: string;
  readonly subscription: string;
  readonly event: string;
  readonly arguments: unknown;
  readonly payload: unknown;
  readonly text: string;
  readonly once: boolean;
}

/** One app on a core of its own, whichever. */
export interface ContractCore {
  /** One request of the app API. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>;
  /** Takes and acks all that is pending, as one bridge with every ticket would; answers all wakes so far. */
  wakes(): Promise<readonly ContractWake[]>;
  /** Lets time pass at the core, on both clocks. */
  advance(ms: number): void;
  close(): Promise<void>;
}

/** The core itself, with its store on disk, over HTTP. */
export async function openRealCore(): Promise<ContractCore> {
  const dataDir = await mkdtemp(join(tmpdir(), "contract-"));
  let offset = 0;
  const now = (): number => Date.now() + offset;
  const clock = { now, monotonic: () => performance.now() + offset };
  const core = await startCore({ port: 0, dataDir, logLevel: "silent", clock });
  const { key } = await createApp({ store: core.store, now, randomBytes }, "Test");
  const client = new AppClient(core.url, key.key, key.keyId);
  const holder = randomBytes(32).toString("base64url");

  const ticketsOf = new Map<string, readonly string[]>();
  const taken: ContractWake[] = [];

  async function wake(path: string, body: object): Promise<any> {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${core.url}/api/wakes/v1${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ holder, ...body }),
    });
    if (!answer.ok) throw new Error(`${path}: ${String(answer.status)} ${await answer.text()}`);
    return answer.json();
  }

  return {
    async ask(method, path, body) {
      const iat = Math.floor(now() / 1_000);
      const assertion = await client.assertion({ claims: { iat, exp: iat + 120 } });
      const answer = await client.call(method, path, body, `Bearer ${assertion}`);
      for (const { id, ticket } of answer.body.addition?.meta[SUBSCRIPTION_META_KEY] ?? [])
        ticketsOf.set(id, [...(ticketsOf.get(id) ?? []), ticket]);
      return { status: answer.status, body: answer.body };
    },
    async wakes() {
      for (;;) {
        const { wakes } = await wake("/next", { tickets: [...ticketsOf.values()].flat(), wait_ms: 0 });
        if (wakes.length === 0) return [...taken].sort((one: any, other: any) => one.seq - other.seq);
        taken.push(...wakes);
        const acks = wakes.flatMap(({ subscription, occurrence }: ContractWake) =>
          (ticketsOf.get(subscription) ?? []).map((ticket) => ({ ticket, occurrence, state: "handed" })),
        );
        await wake("/ack", { acks });
      }
    },
    advance: (ms) => {
      offset += ms;
    },
    async close() {
      await core.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The core of `@wakeshift/sdk/testing`. */
export function openTestingCore(): Promise<ContractCore> {
  const core = testingCore();
  return Promise.resolve({
    async ask(method, path, body) {
      const answer = await core.options.fetch(`${core.options.core}/api/apps/v1${path}`, {
        method,
        headers: {},
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "manual",
        signal: AbortSignal.timeout(30_000),
      });
      return { status: answer.status, body: await answer.json() };
    },
    wakes: () =>
      Promise.resolve(
        core.wakes().map((wake) => ({
          occurrence: wake.occurrence,
          subscription: wake.subscription.id,
          event: wake.event,
          arguments: wake.arguments,
          payload: wake.payload,
          text: wake.text,
          once: wake.subscription.once,
        })),
      ),
    advance: (ms) => core.advance(ms),
    close: () => Promise.resolve(),
  });
}
