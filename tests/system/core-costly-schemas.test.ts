import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import { startWorld, SDK } from "./core-support/core-world.ts";
import { quickest } from "./core-support/quickest.ts";

/** Far more than a busy machine holds the event loop up, far less than these schemas once did. */
const BLOCKED_MS = 700;

const ANY = { type: "object" };

/** A few kilobytes that apply 2^`levels` schemas to one value. */
function doubling(levels: number): Record<string, unknown> {
  const $defs: Record<string, unknown> = { s0: { type: ["object", "array", "string", "number", "null", "boolean"] } };
  for (let level = 1; level <= levels; level += 1) {
    const below = { $ref: `#/$defs/s${level - 1}` };
    $defs[`s${level}`] = { allOf: [below, below] };
  }
  return { type: "object", $defs, allOf: [{ $ref: `#/$defs/s${levels}` }] };
}

/** Schemas by plain keywords nobody would take for costly: many constants, and many values to compare each with. */
const CONSTANTS = {
  type: "object",
  properties: { list: { type: "array", items: { anyOf: Array.from({ length: 1_000 }, (_, n) => ({ const: `constant ${n}` })) } } },
};
const CATASTROPHIC = { type: "object", properties: { name: { type: "string", pattern: "^(a+)+$" } } };

/** The longest time for which nothing else was done while this ran, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await work();
  delays.disable();
  return delays.max / 1_000_000;
}

describe("a schema that takes long to check holds nobody else up", () => {
  test("publishing one that applies a million schemas to a value is refused by its name, ten in one request as fast", async () => {
    const { app } = await startWorld();
    const event = (n: number): object => ({ name: `costly.n${n}`, description: "Costly", arguments: ANY, payload: doubling(20) });
    const events = Array.from({ length: 10 }, (_, n) => event(n));
    const blocked = await quickest(BLOCKED_MS, () =>
      longestBlock(async () => {
        const { status, body } = await app.call("PUT", "/manifest", { sdk: SDK, events });
        expect([status, body.error.code]).toEqual([400, "bad_event"]);
        expect(body.error.message).toMatch(/^costly\.n0: the payload schema can't be used/);
      }),
    );
    expect(blocked).toBeLessThan(BLOCKED_MS);
  }, 120_000);

  test("an emit against a thousand constants is refused within its budget, and says by which schema", async () => {
    const { app, addApp } = await startWorld({}, [{ name: "costly.list", description: "Costly", arguments: ANY, payload: CONSTANTS }]);
    const other = await addApp("Other");
    const free = { name: "free.form", description: "Free", arguments: ANY, payload: ANY };
    await other.call("PUT", "/manifest", { sdk: SDK, events: [free] });
    const payload = { list: Array<string>(10_000).fill("constant 999") };
    const blocked = await quickest(BLOCKED_MS, () =>
      longestBlock(async () => {
        const { status, body } = await app.post("/events/emit", { name: "costly.list", arguments: {}, payload });
        expect([status, body.error.code]).toEqual([400, "bad_payload"]);
        expect(body.error.message).toContain("costly.list");
      }),
    );
    expect(blocked).toBeLessThan(BLOCKED_MS);
  }, 120_000);

  test("forty emits that match a pattern without end leave another app's emit answered before they are through", async () => {
    const { app, addApp } = await startWorld({}, [{ name: "costly.name", description: "Costly", arguments: ANY, payload: CATASTROPHIC }]);
    const other = await addApp("Other");
    await other.call("PUT", "/manifest", {
      sdk: SDK,
      events: [
        { name: "other.name", description: "Other", arguments: ANY, payload: { ...ANY, properties: { id: { pattern: "^[a-z]+$" } } } },
      ],
    });
    const order: string[] = [];
    const costly = Array.from({ length: 40 }, async () => {
      const { status, body } = await app.post("/events/emit", {
        name: "costly.name",
        arguments: {},
        payload: { name: `${"a".repeat(60)}!` },
      });
      order.push("costly");
      expect([400, 429]).toContain(status);
      expect(["bad_payload", "rate_limited"]).toContain(body.error.code);
    });
    const others = Array.from({ length: 5 }, async () => {
      const { status } = await other.post("/events/emit", { name: "other.name", arguments: {}, payload: { id: "abc" } });
      order.push("other");
      expect(status).toBe(200);
    });
    const blocked = await longestBlock(() => Promise.all([...costly, ...others]));
    expect(blocked).toBeLessThan(2_000);
    expect(order.lastIndexOf("other")).toBeLessThan(order.length / 2);
  }, 120_000);
});
