import { LIMITS } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import type { EventRecord } from "../store.ts";
import { decideEmit } from "./emit-decision.ts";

const EVENT: EventRecord = {
  appId: "app_1",
  name: "crawl.finished",
  description: "A crawl finished",
  argumentsSchema: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
  payloadSchema: { type: "object" },
  access: [],
  tools: [],
  digest: "",
};
const FACTS = {
  event: EVENT,
  faults: {},
  freshId: "evt_fresh",
  now: 5,
};
const REQUEST = { name: EVENT.name, arguments: { job: "a" }, payload: { status: "done" } };

describe("decideEmit", () => {
  test("writes one occurrence on one route, with the description and the payload for a text", () => {
    expect(decideEmit(REQUEST, FACTS)).toEqual({
      appId: "app_1",
      event: EVENT.name,
      id: "evt_fresh",
      arguments: '{"job":"a"}',
      payload: '{"status":"done"}',
      text: 'A crawl finished: {"status":"done"}',
      emittedAt: 5,
      routes: [expect.stringMatching(/^[0-9a-f]{64}$/)],
      eventDigest: EVENT.digest,
    });
  });

  test("keeps an author's id that is plain, and makes one of any other", () => {
    expect(decideEmit({ ...REQUEST, id: "job-a:done_1" }, FACTS).id).toBe("job-a:done_1");
    const odd = decideEmit({ ...REQUEST, id: "job a" }, FACTS).id;
    expect(odd).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(decideEmit({ ...REQUEST, id: "job a" }, FACTS).id).toBe(odd);
    expect(decideEmit({ ...REQUEST, id: "job b" }, FACTS).id).not.toBe(odd);
    expect(decideEmit({ ...REQUEST, id: "job a" }, { ...FACTS, event: { ...EVENT, appId: "app_2" } }).id).not.toBe(odd);
  });

  test("has a route for each user a personal emit names, each once", () => {
    const personal = { ...FACTS, event: { ...EVENT, access: ["personal"] as const } };
    const { routes } = decideEmit({ ...REQUEST, to: ["ada", "bob", "ada"] }, personal);
    expect(new Set(routes).size).toBe(2);
    expect(decideEmit({ ...REQUEST, to: "bob" }, personal).routes).toEqual([routes[1]]);
  });

  test("cuts a long text, never the payload", () => {
    const input = decideEmit({ ...REQUEST, text: "é".repeat(4_000), payload: { blob: "x".repeat(200_000) } }, FACTS);
    expect(Buffer.byteLength(input.text)).toBeLessThanOrEqual(LIMITS.textBytes);
    expect(input.text).toMatch(/^é+…$/);
    expect(JSON.parse(input.payload)).toEqual({ blob: "x".repeat(200_000) });
    expect(Buffer.byteLength(decideEmit({ ...REQUEST, payload: { blob: "x".repeat(200_000) } }, FACTS).text)).toBeLessThan(400);
  });
});
