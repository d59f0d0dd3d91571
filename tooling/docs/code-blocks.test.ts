import { describe, expect, it } from "vitest";
import { codeBlocks, modulesOf } from "./code-blocks.mjs";

const FENCE = "```";

describe("code blocks of a page", () => {
  it("are the ts ones, with their line and mark; other languages don't count", () => {
    const page = [
      "# A",
      `${FENCE}sh`,
      "ls",
      FENCE,
      `${FENCE}ts`,
      "const a = 1;",
      FENCE,
      `   ${FENCE}ts continued`,
      "   a;",
      `   ${FENCE}`,
    ].join("\n");
    expect(codeBlocks(page)).toEqual({
      blocks: [
        { line: 6, code: "const a = 1;", mark: "alone" },
        { line: 9, code: "a;", mark: "continued" },
      ],
      faults: [],
    });
  });

  it("may be left out only with a reason", () => {
    expect(codeBlocks(`${FENCE}ts not compiled: shows a removed name\nx\n${FENCE}`).blocks).toEqual([
      { line: 2, code: "x", mark: "skipped" },
    ]);
    expect(codeBlocks(`${FENCE}ts not compiled:\nx\n${FENCE}`).faults).toEqual([expect.stringMatching(/^1: .* is no mark/)]);
    expect(codeBlocks(`${FENCE}ts ignore\nx\n${FENCE}`).faults).toHaveLength(1);
  });

  it("can't continue nothing, and must end", () => {
    expect(codeBlocks(`${FENCE}ts continued\nx\n${FENCE}`).faults).toEqual([expect.stringContaining("no block before it")]);
    expect(codeBlocks(`${FENCE}ts\nx`).faults).toEqual([expect.stringContaining("never ends")]);
  });

  it("become modules whose lines are the page's lines", () => {
    const blocks = codeBlocks(
      ["", `${FENCE}ts`, "a", "b", FENCE, "text", `${FENCE}ts continued`, "c", FENCE, `${FENCE}ts`, "d", FENCE].join("\n"),
    ).blocks;
    const [first = "", second = ""] = modulesOf(blocks);
    expect(first.split("\n")).toEqual(["", "", "a", "b", "", "", "", "c"]);
    expect(second.split("\n")[10]).toBe("d");
  });
});
