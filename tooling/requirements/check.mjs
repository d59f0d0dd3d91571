// @ts-check
// Usage: node tooling/requirements/check.mjs [--list] [REPORT …]
// A REPORT is what vitest's JSON reporter wrote. A rule counts as proven once a test that cites it ran and passed; for runs without a
// report here, the titles of their tests count. --list names the rules that no test proves yet.
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cite } from "./cite.mjs";
import { citedIds } from "./cited-ids.mjs";
import { coverageReport } from "./coverage-report.mjs";
import { judgeCoverage } from "./judge-coverage.mjs";
import { readReports } from "./read-reports.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TEST_FILE = /\.test\.[cm]?[jt]s$/;
const SKIPPED = new Set(["node_modules", "dist", ".git"]);

/**
 * @param {string} folder
 * @returns {string[]}
 */
function testFilesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFilesIn(path);
    return TEST_FILE.test(entry.name) ? [path] : [];
  });
}

/** @param {string} file */
function readSpec(file) {
  return JSON.parse(readFileSync(join(root, "spec", file), "utf8"));
}

const options = process.argv.slice(2);
const titled = new Map(testFilesIn(root).map((file) => [relative(root, file), citedIds(file, readFileSync(file, "utf8"))]));
const proof = cite(
  titled,
  readReports(
    options.filter((option) => option !== "--list"),
    root,
  ),
);
/** @type {readonly import("./coverage-report.mjs").Requirement[]} */
const requirements = readSpec("requirements.json").requirements;
const { faults, uncited } = judgeCoverage(requirements, proof, readSpec("excused.json").excused);
if (options.includes("--list")) {
  for (const { id, due, statement } of uncited) process.stdout.write(`${id} (${due}) ${statement}\n`);
}
for (const fault of faults) process.stderr.write(`error: ${fault}\n`);
process.stdout.write(coverageReport(requirements, uncited, proof));
process.stdout.write(`requirements: ${requirements.length} rules, ${faults.length} errors\n`);
if (faults.length > 0) process.exit(1);
