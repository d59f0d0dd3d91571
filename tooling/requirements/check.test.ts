import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cite } from "./cite.mjs";
import type { Citations } from "./cite.mjs";
import { citedIds } from "./cited-ids.mjs";
import { judgeCoverage } from "./judge-coverage.mjs";
import { readReports } from "./read-reports.mjs";

// Ids are put together here, so that this file's own texts are never taken for citations.
const S = (number: number): string => `seed-${number}`;
const RULES = [
  { id: S(1), due: "now", statement: "One." },
  { id: S(2), due: "now", statement: "Two." },
  { id: S(3), due: "later", statement: "Three." },
] as const;
const REASON = "The program can't be driven offline yet.";

const citing = (numbers: readonly number[]): Citations => new Map(numbers.map((number) => [S(number), ["a.test.ts"]]));

function judge(
  proven: readonly number[],
  rest: { excused?: readonly number[]; elsewhere?: readonly number[]; unproven?: readonly number[] } = {},
) {
  const { excused = [], elsewhere = [], unproven = [] } = rest;
  return judgeCoverage(
    RULES,
    { proven: citing(proven), elsewhere: citing(elsewhere), unproven: citing(unproven) },
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

  it("fails for a due rule whose test was skipped or failed, and names the test's file", () => {
    expect(judge([1], { unproven: [2] })).toEqual([
      expect.stringMatching(/^seed-2 is due, and what cites it in a\.test\.ts was skipped or failed: "Two\."/),
    ]);
    expect(judge([1, 2], { unproven: [2] })).toEqual([]);
  });

  it("leaves a rule to another run that cites it", () => {
    expect(judge([1], { elsewhere: [2] })).toEqual([]);
    expect(judge([1], { elsewhere: [2], excused: [2] })).toEqual([expect.stringMatching(/take the excuse out/)]);
  });

  it("accepts an excuse for a due rule", () => {
    expect(judge([1], { excused: [2] })).toEqual([]);
  });

  it("fails for an excuse that became stale, is for nothing, for what is not due, or stands twice", () => {
    expect(judge([1, 2], { excused: [2] })).toEqual([expect.stringMatching(/seed-2, but a\.test\.ts cites it: take the excuse out/)]);
    expect(judge([1, 2], { excused: [9] })).toEqual([expect.stringMatching(/seed-9, which is not a rule/)]);
    expect(judge([1, 2], { excused: [3] })).toEqual([expect.stringMatching(/seed-3, which is not due/)]);
    expect(judge([1], { excused: [2, 2] })).toEqual([expect.stringMatching(/names a rule twice/)]);
  });

  it("lists what is not cited, whatever is due", () => {
    expect(judgeCoverage(RULES, { proven: new Map(), elsewhere: new Map(), unproven: new Map() }, []).uncited.map(({ id }) => id)).toEqual([
      S(1),
      S(2),
      S(3),
    ]);
  });
});

describe("a run of vitest", () => {
  it("proves the rules of the tests that passed, and none of those that were skipped or failed", () => {
    const root = mkdtempSync(join(tmpdir(), "requirements-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const text = `
      describe("group ${S(1)}", () => { it("passes", () => {}); });
      describe.skipIf(true)("group ${S(2)}", () => { it("is skipped", () => {}); });
      it.skipIf(true)("is skipped, too ${S(3)}", () => {});
      it("fails ${S(4)}", () => { throw new Error("no"); });
      it.each(["${S(5)}"])("of a table: %s", () => {});`;
    const file = join(root, "a.test.ts");
    writeFileSync(file, text);
    const report = join(root, "report.json");
    const vitest = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
    const args = [vitest, "run", "--root", root, "--globals", "--reporter=json", `--outputFile=${report}`];
    spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });

    const titled = new Map([
      ["a.test.ts", citedIds(file, readFileSync(file, "utf8"))],
      ["tests/agents/b.test.ts", [S(6)]],
    ]);
    const { proven, elsewhere, unproven } = cite(titled, readReports([report], root));
    expect([...proven.keys()].sort()).toEqual([S(1), S(5)]);
    expect([...unproven.keys()].sort()).toEqual([S(2), S(3), S(4)]);
    expect([...elsewhere]).toEqual([[S(6), ["tests/agents/b.test.ts"]]]);
  });
});
