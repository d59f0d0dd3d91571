import { describe, expect, it } from "vitest";
import type { Access, ManifestEvent } from "../app-api.ts";
import { assertManifestEvent } from "./manifest-event.ts";

const EVENT: ManifestEvent = {
  name: "crawl.finished",
  description: "A crawl finished",
  arguments: { type: "object", properties: { job: {} }, required: ["job"] },
  payload: { type: "object" },
};
const check = (over: object, access: readonly Access[] | undefined = []): void => assertManifestEvent({ ...EVENT, ...over }, access);
/** A schema whose JSON has so many bytes. */
const sized = (bytes: number): object => {
  const empty = { type: "object", title: "" };
  return { ...empty, title: "x".repeat(bytes - JSON.stringify(empty).length) };
};

describe("a published event", () => {
  it("is taken with each access, with a schema of exactly 64 KiB, and with 50 tools named more than once", () => {
    for (const access of [undefined, [], ["public"], ["personal", "authorize"]] as const) check({}, access);
    const tools = Array.from({ length: 50 }, (_, n) => `tool_${n}`);
    check({ tools: [...tools, ...tools], payload: sized(65_536) });
    check({ arguments: { type: "object" } });
  });

  it.each<[string, object, string, RegExp]>([
    ["a bad name", { name: "Crawl" }, "bad_event", /"Crawl" is no event name/],
    [
      "arguments that aren't plain JSON",
      { arguments: { type: "object", title: undefined } },
      "bad_event",
      /^crawl\.finished: arguments\.title is of type undefined/,
    ],
    [
      "a payload that isn't plain JSON",
      { payload: { type: "object", title: Number.NaN } },
      "bad_event",
      /^crawl\.finished: payload\.title is NaN/,
    ],
    [
      "arguments of another type",
      { arguments: { type: "array" } },
      "bad_event",
      /^crawl\.finished: arguments must be a JSON Schema of type "object"/,
    ],
    ["a payload without a type", { payload: {} }, "bad_event", /^crawl\.finished: payload must be a JSON Schema of type "object"/],
    [
      "a schema that is too large",
      { payload: sized(65_537) },
      "bad_event",
      /^crawl\.finished: the payload schema is larger than 65536 bytes/,
    ],
    [
      "required that is no list",
      { arguments: { type: "object", required: "job" } },
      "bad_event",
      /"required" of the arguments schema must be a list of names/,
    ],
    [
      "required with something else among the names",
      { payload: { type: "object", required: ["a", 1] } },
      "bad_event",
      /"required" of the payload schema/,
    ],
    [
      "properties that are a list",
      { arguments: { type: "object", properties: [] } },
      "bad_event",
      /"properties" of the arguments schema must be an object/,
    ],
    [
      "properties that are a text",
      { arguments: { type: "object", properties: "job" } },
      "bad_event",
      /"properties" of the arguments schema must be an object/,
    ],
    [
      "a property named __proto__",
      { arguments: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as object },
      "bad_event",
      /argument named __proto__/,
    ],
    ["a required __proto__", { arguments: { type: "object", required: ["__proto__"] } }, "bad_event", /argument named __proto__/],
    [
      "a reserved property",
      { arguments: { type: "object", properties: { wakeshift_voucher: {} } } },
      "reserved_argument",
      /argument named wakeshift_voucher, which is Wakeshift's own/,
    ],
    [
      "a reserved name that is required",
      { arguments: { type: "object", required: ["wakeshift_voucher"] } },
      "reserved_argument",
      /argument named wakeshift_voucher/,
    ],
    ["51 tools", { tools: Array.from({ length: 51 }, (_, n) => `t${n}`) }, "bad_event", /names 51 tools; at most 50/],
  ])("is refused for %s", (_what, over, code, message) => {
    expect(() => check(over)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) as string }));
  });

  it("is refused for public beside anything else, which is named", () => {
    expect(() => check({}, ["public", "personal", "authorize"])).toThrow(
      expect.objectContaining({ code: "bad_openness", message: expect.stringContaining("public and personal and authorize") as string }),
    );
  });
});
