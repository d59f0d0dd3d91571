import { WAKEABLE_PROGRAMS } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { PROGRAM_REGISTRY } from "./registry.ts";

test("a result promises occurrences to exactly the programs that a bridge wakes", () => {
  expect(PROGRAM_REGISTRY.map(({ name }) => name).sort()).toEqual([...WAKEABLE_PROGRAMS].sort());
});
