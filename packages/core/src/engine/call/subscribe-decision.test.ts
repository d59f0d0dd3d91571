import type { SubscribeRequest } from "@wakeshift/protocol";
import { LIMITS } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import type { EventRecord } from "../store.ts";
import { decideSubscribe } from "./subscribe-decision.ts";

const EVENT: EventRecord = {
  appId: "app_1",
  name: "build.done",
  description: "A build is done",
  argumentsSchema: { type: "object", properties: { repo: { type: "string" }, branch: { type: "string" } }, required: ["repo"] },
  payloadSchema: { type: "object" },
  access: [],
  tools: [],
  digest: "",
};
const NOW = 1_000_000_000_000;

function decide(
  changes: Partial<SubscribeRequest> = {},
  event: Partial<EventRecord> = {},
  fault?: string,
): ReturnType<typeof decideSubscribe> {
  const request = { call: { client: "c", tool: "build" }, name: EVENT.name, arguments: { repo: "r" }, ...changes };
  return decideSubscribe(request, { ...EVENT, ...event }, fault, NOW);
}

describe("decideSubscribe", () => {
  test("makes the route of the required arguments, and a filter of the others", () => {
    const plain = decide();
    const filtered = decide({ arguments: { branch: "main", repo: "r" } });
    expect(filtered.route).toBe(plain.route);
    expect(plain).toMatchObject({ arguments: '{"repo":"r"}', filter: "{}", once: false, via: "tool" });
    expect(filtered).toMatchObject({ arguments: '{"branch":"main","repo":"r"}', filter: '{"branch":"main"}' });
    expect(decide({ arguments: { repo: "s" } }).route).not.toBe(plain.route);
  });

  test("makes a personal event's route of the user too, and a shared event's not", () => {
    const call = (user: string) => ({ call: { client: "c", tool: "build", user } });
    const personal = { access: ["personal"] as const };
    expect(decide(call("ada"), personal).route).not.toBe(decide(call("bob"), personal).route);
    expect(decide(call("ada")).route).toBe(decide(call("bob")).route);
  });

  test("asks openness first, then the user, then the arguments", () => {
    const closed = { call: { client: "c", tool: "subscribe_events" }, arguments: {} };
    expect(() => decide(closed, {}, '"repo" is missing')).toThrow(expect.objectContaining({ code: "not_open" }));
    expect(() => decide(closed, { access: ["personal"] }, '"repo" is missing')).toThrow(expect.objectContaining({ code: "user_required" }));
    const signedIn = { ...closed, call: { client: "c", tool: "subscribe_events", user: "ada" } };
    expect(() => decide(signedIn, { access: ["personal"] }, '"repo" is missing')).toThrow(
      expect.objectContaining({ code: "bad_arguments", message: expect.stringContaining('"repo" is missing') as string }),
    );
    expect(() => decide({ native: true })).toThrow(expect.objectContaining({ code: "unsupported" }));
  });

  test("keeps ttl and replay within their limits", () => {
    expect(decide().expiresAt).toBe(NOW + LIMITS.ttlDefaultMs);
    expect(decide({ ttl_ms: LIMITS.ttlMinMs }).expiresAt).toBe(NOW + LIMITS.ttlMinMs);
    expect(() => decide({ ttl_ms: LIMITS.ttlMinMs - 1 })).toThrow(expect.objectContaining({ code: "bad_request" }));
    expect(() => decide({ ttl_ms: LIMITS.ttlMaxMs + 1 })).toThrow(expect.objectContaining({ code: "bad_request" }));
    expect(decide().replaySince).toBeUndefined();
    expect(decide({ replay_ms: 0 }).replaySince).toBeUndefined();
    expect(decide({ replay_ms: LIMITS.replayMaxMs }).replaySince).toBe(NOW - LIMITS.replayMaxMs);
    expect(() => decide({ replay_ms: LIMITS.replayMaxMs + 1 })).toThrow(expect.objectContaining({ code: "replay_too_long" }));
    expect(() => decide({ replay_ms: -1 })).toThrow(expect.objectContaining({ code: "bad_request" }));
  });

  test("PC-45 a blank user is nobody", () => {
    for (const user of ["", " ", "\t\n"]) {
      expect(decide({ call: { client: "c", tool: "build", user } }).caller.user).toBeUndefined();
      expect(() => decide({ call: { client: "c", tool: "build", user } }, { access: ["personal"] })).toThrow(
        expect.objectContaining({ code: "user_required" }),
      );
    }
  });
});
