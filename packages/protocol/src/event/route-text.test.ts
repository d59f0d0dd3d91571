import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routeText } from "./route-text.ts";

describe("route text", () => {
  it("is the same whatever the order of the arguments", () => {
    const one = routeText({ app: "app_1", event: "ci.finished", required: { repo: "r", branch: "b" } });
    expect(routeText({ app: "app_1", event: "ci.finished", required: { branch: "b", repo: "r" } })).toBe(one);
  });

  it("differs wherever app, event, an argument's name or value, or the user differs (seed-211, seed-212)", () => {
    const parts = fc.record(
      {
        app: fc.string({ maxLength: 3 }),
        event: fc.string({ maxLength: 3 }),
        required: fc.dictionary(
          fc.string({ maxLength: 2 }),
          fc.oneof(fc.string({ maxLength: 2 }), fc.integer(), fc.boolean(), fc.constant(null)),
        ),
        user: fc.string({ maxLength: 3 }),
      },
      { requiredKeys: ["app", "event", "required"] },
    );
    const wellFormed = parts.filter((value) => !/\0|\\u0000|\\ud[89a-f]/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(wellFormed, wellFormed, (left, right) => {
        const sorted = (value: typeof left): string =>
          JSON.stringify([
            value.app,
            value.event,
            Object.entries(value.required)
              .map(([name, inner]) => [name, inner])
              .sort(),
            value.user ?? null,
            "user" in value,
          ]);
        fc.pre(sorted(left) !== sorted(right));
        expect(routeText(left)).not.toBe(routeText(right));
      }),
    );
  });

  it("tells a personal event's route from the shared one, also for a user with an odd id", () => {
    const shared = { app: "a", event: "e", required: {} };
    expect(routeText({ ...shared, user: "null" })).not.toBe(routeText(shared));
    expect(routeText({ ...shared, user: "" })).not.toBe(routeText(shared));
  });
});
