import { LIMITS, WakeshiftError } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { compileSchema } from "./compile-schema.ts";
import { plainJson, plainValue } from "./plain-value.ts";

function nested(levels: number, inner: unknown = {}): unknown {
  let value = inner;
  for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? { in: value } : [value];
  return value;
}

function holdingItself(): unknown {
  const value: Record<string, unknown> = {};
  value["in"] = { deeper: [value] };
  return value;
}

function listHoldingItself(): unknown {
  const value: unknown[] = [];
  value.push(value, value);
  return value;
}

/** 60 objects, each of which holds the next one twice: no cycle, and more than 10^18 values as JSON. */
function doubling(): unknown {
  let value: unknown = {};
  for (let level = 0; level < 60; level += 1) value = { left: value, right: value };
  return value;
}

const ENDLESS: Readonly<Record<string, () => unknown>> = {
  "an object that holds itself": holdingItself,
  "a list that holds itself": listHoldingItself,
  "65 levels": () => nested(65),
  "100,000 levels": () => nested(100_000),
  "100,000 levels around what JSON can't hold": () => nested(100_000, new Date()),
  "objects that hold each other twice": doubling,
};

const tree: z.ZodType = z.lazy(() => z.union([z.array(tree), z.record(z.string(), tree), z.null()]));
const SCHEMAS = {
  "plain JSON Schema": { type: "object" },
  "JSON Schema that refers to itself": { type: ["object", "array"], additionalProperties: { $ref: "#" }, items: { $ref: "#" } },
  zod: z.object({ in: z.unknown() }).loose(),
  "zod that refers to itself": z.object({ in: tree }),
} as const;

for (const [what, make] of Object.entries(ENDLESS)) {
  test.each(["bad_payload", "bad_arguments"] as const)(`refuses ${what} with %s, in a sentence`, (code) => {
    const expected = code === "bad_payload" && make === doubling ? "payload_too_large" : code;
    for (const take of [plainValue, plainJson]) {
      expect(() => take({ in: make() }, code, "it")).toThrow(
        expect.objectContaining({ code: expected, message: expect.stringMatching(/^it (holds itself, or is nested|would be)/) as string }),
      );
    }
  });

  test.each(Object.entries(SCHEMAS))(`refuses ${what} by a schema of %s, and never by a bare RangeError`, async (_library, schema) => {
    for (const code of ["bad_payload", "bad_arguments"] as const) {
      const refused: unknown = await compileSchema(schema, "it")
        .check({ in: make() }, code, "it")
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WakeshiftError);
      expect(refused).toMatchObject({ code: code === "bad_payload" && make === doubling ? "payload_too_large" : code });
    }
  });
}

test("takes 64 levels, the same object in two places, and as many objects as a payload has room for", () => {
  expect(plainJson(nested(64), "bad_payload", "it")).toEqual(nested(64));
  const shared = { a: 1, gone: undefined };
  expect(plainJson({ left: shared, right: [shared] }, "bad_payload", "it")).toEqual({ left: { a: 1 }, right: [{ a: 1 }] });
  const many = Array.from({ length: LIMITS.payloadBytes / 3 }, () => ({}));
  expect(plainJson(many, "bad_payload", "it")).toHaveLength(many.length);
});

test.each([[new Date()], [10n], [Number.NaN], [(): void => undefined], [new Map()]])("leaves %o to the check that comes after", (value) => {
  expect(plainValue({ a: value }, "bad_payload", "it")).toEqual({ a: value });
  expect(() => plainJson({ a: value }, "bad_payload", "it")).toThrow(expect.objectContaining({ code: "bad_payload" }));
});
