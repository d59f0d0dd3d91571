import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";

const DEPLOYMENT = fileURLToPath(new URL("./sdk-support/deployment.mjs", import.meta.url));
type Version = "first" | "second";

const envOf = ({ core, key }: CoreWorld): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  WAKESHIFT_KEY: key,
  WAKESHIFT_CORE: core.url,
});

/** Starts one version of the server, uses it by an official client, and stops it; answers what it logged. */
async function deployed(world: CoreWorld, version: Version, use: (call: (name: string, args: object) => Promise<any>) => Promise<void>) {
  const transport = new StdioClientTransport({ command: process.execPath, args: [DEPLOYMENT, version], env: envOf(world), stderr: "pipe" });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += String(chunk)));
  const client = new Client({ name: "codex-mcp-client", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  await use((name, args) => client.callTool({ name, arguments: { ...args } }));
  await client.close();
  return stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

const ticketOf = (result: any): string => result._meta[SUBSCRIPTION_META_KEY][0].ticket;
const takenBy = (event: string): object => ({ event, arguments: { order: "1" } });

async function kept(world: CoreWorld) {
  const [app] = await world.core.store.listApps();
  const appId = app?.id ?? "";
  const subscriptions = await world.core.store.listSubscriptions({ appId }, Date.now());
  return {
    events: (await world.core.store.listEvents(appId)).map(({ name }) => name).sort(),
    subscriptions: subscriptions.map(({ event }) => event).sort(),
    changes: (await world.core.store.listAccessChanges(appId, 1_000)).map(({ event, after }) => [event, after]).reverse(),
  };
}

const ALL = ["order.changed", "order.packed", "order.paid", "order.refunded"];

test(
  "two versions deployed in turns, six times: what tools subscribed is woken each time, what one opens the other closes, and nothing grows (seed-276, seed-278, seed-281)",
  { timeout: 240_000 },
  async () => {
    const world = closedAfterTest(await startCoreWorld());
    const tickets: Record<string, string> = {};
    let opened: string | undefined;
    for (let turn = 0; turn < 6; turn += 1) {
      const version = turn % 2 === 0 ? "first" : "second";
      const log = await deployed(world, version, async (call) => {
        const matched = async (event: string): Promise<number> => Number((await call("emit", { event, turn })).content[0].text);
        const own = version === "first" ? "order.packed" : "order.refunded";
        for (const event of ["order.changed", "order.paid", own]) tickets[event] ??= ticketOf(await call("watch", { event }));
        expect(await Promise.all(["order.changed", "order.paid", own].map(matched))).toEqual([1, 1, 1]);
        for (const event of ["order.changed", "order.paid", own]) {
          const ticket = tickets[event] ?? "";
          const { wakes, ended } = await world.next([ticket]);
          expect([wakes.map(({ payload }) => payload), ended]).toEqual([[{ turn }], []]);
          for (const wake of wakes) await world.ack(ticket, wake);
        }
        if (opened !== undefined && version === "second")
          expect(await world.next([opened], 0)).toMatchObject({ ended: [{ reason: "revoked" }] });
        const asked = await call("subscribe_events", takenBy("order.paid"));
        expect(asked.isError === true).toBe(version === "second");
        if (version === "first") opened = ticketOf(asked);
      });
      expect(log.map(({ code, event, ended }) => [code, event, ended])).toEqual(
        version === "second" ? [["event_closed", "order.paid", 1]] : [],
      );
    }
    const { events, subscriptions, changes } = await kept(world);
    expect(events).toEqual(ALL);
    expect(subscriptions).toEqual(ALL);
    // One a turn, but for the turn that published it first.
    expect(changes).toEqual(Array.from({ length: 5 }, (_each, turn) => ["order.paid", turn % 2 === 0 ? [] : ["public"]]));
  },
);

test(
  "versions killed while they publish, and started again in turns, leave everything as the last whole one says (seed-276, seed-278)",
  { timeout: 240_000 },
  async () => {
    const world = closedAfterTest(await startCoreWorld());
    const killedIn = (version: Version, moment: string): Promise<unknown> => {
      const child = spawn(process.execPath, [DEPLOYMENT, version, moment], { env: envOf(world), stdio: "ignore" });
      return new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
    };
    let ticket = "";
    await deployed(world, "first", async (call) => void (ticket = ticketOf(await call("watch", { event: "order.paid" }))));
    const moments = ["unsent", "under way", "answered", "under way"] as const;
    const turns = moments.map((moment, turn) => ({ moment, version: turn % 2 === 0 ? ("second" as const) : ("first" as const) }));
    for (const [turn, { moment, version }] of turns.entries()) {
      expect(await killedIn(version, moment)).toBe("SIGKILL");
      await deployed(world, version, async (call) => {
        expect((await call("emit", { event: "order.paid", turn })).content).toEqual([{ type: "text", text: "1" }]);
        expect((await call("subscribe_events", takenBy("order.paid"))).isError === true).toBe(version === "second");
      });
      const { wakes } = await world.next([ticket]);
      expect(wakes.map(({ payload }) => payload)).toEqual([{ turn }]);
      for (const wake of wakes) await world.ack(ticket, wake);
      const { subscriptions, changes } = await kept(world);
      // The tool's own, and beside it what this turn opened.
      expect(subscriptions).toEqual(version === "second" ? ["order.paid"] : ["order.paid", "order.paid"]);
      expect(changes).toHaveLength(turn + 1);
    }
    expect((await kept(world)).events).toEqual(ALL);
  },
);
