import { expect, test } from "vitest";
import { table } from "./table.ts";

test("lays out columns, and a cell from outside can neither add a row nor steer the terminal", () => {
  const hostile = "Crawler\nforged row\u001b[31mred\u202e\u009b2J";
  const text = table([
    ["a", hostile, "z"],
    ["  bb", "c", ""],
  ]);
  expect(text.split("\n")).toEqual([`a     Crawler forged rowred  z`, "  bb  c"]);
});
