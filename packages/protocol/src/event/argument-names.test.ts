import { expect, it } from "vitest";
import { RESERVED_ARGUMENTS, TOOL_ARGUMENTS } from "./argument-names.ts";

it("Wakeshift's own argument names are these and no others (seed-132, seed-133, seed-134, seed-234)", () => {
  expect(TOOL_ARGUMENTS).toEqual(["session_key", "harness", "conversation_id"]);
  expect(RESERVED_ARGUMENTS).toEqual(["wakeshift_voucher"]);
});
