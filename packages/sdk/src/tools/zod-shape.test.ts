import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { zodShapeOf } from "./zod-shape.ts";

const PROPERTIES = {
  kind: { type: "string", enum: ["a", "b"], description: "Which." },
  name: { type: "string" },
  rest: { type: "object" },
};

describe.each([
  ["zod 4", {}, z],
  ["zod 4, beside fields of it", { url: z.string() }, z],
  ["zod 3, beside fields of it", { url: z3.string() }, z3],
] as const)("%s", (_line, beside, library) => {
  const shape: any = zodShapeOf(PROPERTIES, ["kind"], beside);

  test("makes fields that stand in one object with the author's (seed-110)", () => {
    const object: any = (library as any).object({ ...beside, ...shape });
    const url = "url" in beside ? { url: "u" } : {};
    expect(object.parse({ kind: "a", rest: { any: 1 }, ...url })).toEqual({ kind: "a", rest: { any: 1 }, ...url });
    expect(object.safeParse({ kind: "c", ...url }).success).toBe(false);
    expect(object.safeParse({ ...url }).success).toBe(false);
    expect(object.safeParse({ kind: "a", name: 5, ...url }).success).toBe(false);
  });

  test("keeps what each is described by", () => {
    expect(shape.kind.description).toBe("Which.");
    expect(shape.name.description).toBeUndefined();
  });
});
