import { describe, expect, it } from "vitest";
import { citedIds } from "./cited-ids.mjs";
import { judgeCoverage } from "./judge-coverage.mjs";

// Ids are put together here, so that this file's own texts are never taken for citations.
const S = (number: number): string => `seed-${number}`;
const RULES = [
  { id: S(1), due: "now", statement: "One." },
  { id: S(2), due: "now", statement: "Two." },
  { id: S(3), due: "later", statement: "Three." },
] as const;
const REASON = "The program can't be driven offline yet.";

function judge(cited: readonly number[], excused: readonly number[] = []): readonly string[] {
  const citations = new Map(cited.map((number) => [S(number), ["a.test.ts"]]));
  return judgeCoverage(
    RULES,
    citations,
    excused.map((number) => ({ id: S(number), reason: REASON })),
  ).faults;
}

describe("citations", () => {
  it("are ids in the titles of tests and of groups, also of tables and templates", () => {
    const text = `
      describe("group (${S(1)})", () => {
        it("does it (${S(2)}, PC-${"07"})", () => {});
        it.each([1])("each %s ${S(3)}", () => {});
        test.concurrent(\`with \${x} ${S(4)}\`, () => {});
        it.for([1])("a" + " ${S(5)}", () => {});
        it.skipIf(process.platform === "win32")("here ${S(6)}", () => {});
      });`;
    expect([...citedIds("a.test.ts", text)].sort()).toEqual([`PC-${"07"}`, S(1), S(2), S(3), S(4), S(5), S(6)]);
  });

  it("are not ids in comments, other texts, other calls, skipped tests, or tests yet to write", () => {
    const text = `
      // it("${S(1)}")
      const x = "${S(2)}"; log("${S(3)}");
      it.skip("${S(4)}", () => {}); it.todo("${S(5)}");
      describe.skip("${S(6)}", () => { it("${S(7)}", () => {}); });`;
    expect(citedIds("a.test.ts", text)).toEqual([]);
  });

  it("of one id are not those of a longer one", () => {
    expect(citedIds("a.test.ts", `it("${S(12)}", () => {});`)).toEqual([S(12)]);
  });
});

describe("coverage", () => {
  it("is whole where every rule that is due is cited; others may be", () => {
    expect(judge([1, 2])).toEqual([]);
    expect(judge([1, 2, 3])).toEqual([]);
  });

  it("fails for a due rule that no test cites, and says what to write", () => {
    expect(judge([1])).toEqual([expect.stringMatching(/^seed-2 is due, and no test cites it: "Two\." Name seed-2 in the title/)]);
  });

  it("fails for an unknown id and names the file", () => {
    expect(judge([1, 2, 9])).toEqual([expect.stringMatching(/^seed-9 is cited in a\.test\.ts, but/)]);
  });

  it("accepts an excuse for a due rule", () => {
    expect(judge([1], [2])).toEqual([]);
  });

  it("fails for an excuse that became stale, is for nothing, for what is not due, or stands twice", () => {
    expect(judge([1, 2], [2])).toEqual([expect.stringMatching(/seed-2, but a\.test\.ts cites it: take the excuse out/)]);
    expect(judge([1, 2], [9])).toEqual([expect.stringMatching(/seed-9, which is no rule/)]);
    expect(judge([1, 2], [3])).toEqual([expect.stringMatching(/seed-3, which is not due/)]);
    expect(judge([1], [2, 2])).toEqual([expect.stringMatching(/names a rule twice/)]);
  });

  it("lists what is not cited, whatever is due", () => {
    expect(judgeCoverage(RULES, new Map(), []).uncited.map(({ id }) => id)).toEqual([S(1), S(2), S(3)]);
  });
});
