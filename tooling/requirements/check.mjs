// @ts-check
// Usage: node tooling/requirements/check.mjs [--list]   (--list names the rules that no test cites yet)
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { citedIds } from "./cited-ids.mjs";
import { coverageReport } from "./coverage-report.mjs";
import { judgeCoverage } from "./judge-coverage.mjs";

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

/** @type {Map<string, string[]>} */
const citations = new Map();
for (const file of testFilesIn(root)) {
  for (const id of citedIds(file, readFileSync(file, "utf8"))) citations.set(id, [...(citations.get(id) ?? []), relative(root, file)]);
}

/** @type {readonly import("./coverage-report.mjs").Requirement[]} */
const requirements = readSpec("requirements.json").requirements;
const { faults, uncited } = judgeCoverage(requirements, citations, readSpec("excused.json").excused);
if (process.argv.includes("--list")) {
  for (const { id, due, statement } of uncited) process.stdout.write(`${id} (${due}) ${statement}\n`);
}
for (const fault of faults) process.stderr.write(`error: ${fault}\n`);
process.stdout.write(coverageReport(requirements, uncited));
process.stdout.write(`requirements: ${requirements.length} rules, ${faults.length} errors\n`);
if (faults.length > 0) process.exit(1);
