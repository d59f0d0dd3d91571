import { setTimeout as later } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Call } from "./call.ts";
import { enterCall, findCall, runHandler } from "./call-store.ts";

const owner = {};
const newCall = (): Call => ({ subscribe: () => Promise.reject(new Error("unused")), unsubscribe: () => Promise.resolve(false) });

/** What one request's handler finds, before it waits and after, while another's runs. */
async function found(context: object, from: "request" | "handler"): Promise<{ readonly call: Call; readonly found: unknown }> {
  const call = newCall();
  const scope = enterCall(owner, call, context, from);
  try {
    const seen = await scope.run(async () => {
      await later(0);
      return await runHandler(owner, context, async (given) => {
        const here = [given, findCall(owner), findCall(owner, context)];
        await later(0);
        return [...here, findCall(owner), findCall(owner, context)];
      });
    });
    return { call, found: seen };
  } finally {
    scope.leave();
  }
}

describe("calls on one signal at once, as on a connection whose requests share it", () => {
  const { signal } = new AbortController();

  test.each([
    ["handler", "handler"],
    ["handler", "request"],
    ["request", "handler"],
    ["request", "request"],
  ] as const)("find each its own, entered at the %s and at the %s", async (first, second) => {
    const both = await Promise.all([found({ signal }, first), found({ signal }, second)]);
    for (const { call, found: seen } of both) expect(seen).toEqual([call, call, call, call, call]);
    expect(both[0].call).not.toBe(both[1].call);
  });

  test("aren't told apart, and get no call at all, where the very same context came with both and neither runs here", () => {
    const context = { signal };
    const scopes = [newCall(), newCall()].map((call) => enterCall(owner, call, context));
    expect(findCall(owner, context)).toBeUndefined();
    expect(runHandler(owner, context, (call) => call)).toBeUndefined();
    for (const scope of scopes) scope.leave();
  });
});

test.each(["a promise", "a value", "an error", "a rejection"])(
  "a handler that ends by %s leaves nothing of its call behind",
  async (end) => {
    const context = { signal: new AbortController().signal };
    const call = newCall();
    const scope = enterCall(owner, call, context, "handler");
    const work = (): unknown => {
      expect(findCall(owner)).toBe(call);
      if (end === "an error") throw new Error("broken");
      if (end === "a rejection") return Promise.reject(new Error("broken"));
      return end === "a value" ? 1 : Promise.resolve(1);
    };
    const outcome = await scope.run(async () => await runHandler(owner, context, work)).catch((error: unknown) => (error as Error).message);
    expect(outcome).toBe(end === "a value" || end === "a promise" ? 1 : "broken");
    expect(findCall(owner)).toBeUndefined();
    expect(findCall(owner, context)).toBe(call);
    scope.leave();
    expect(findCall(owner, context)).toBeUndefined();
  },
);

test("calls that never end are forgotten once they are canceled, and those that run are not", () => {
  const running = { signal: new AbortController().signal };
  const call = newCall();
  const scope = enterCall(owner, call, running, "handler");
  const canceled = Array.from({ length: 2_000 }, () => {
    const controller = new AbortController();
    const context = { signal: controller.signal };
    enterCall(owner, newCall(), context, "handler");
    controller.abort();
    return context;
  });
  const kept = canceled.filter((context) => findCall(owner, context) !== undefined);
  expect(kept.length).toBeLessThan(1_100);
  expect(findCall(owner, running)).toBe(call);
  scope.leave();
});
