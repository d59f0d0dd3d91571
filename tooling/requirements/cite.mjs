// @ts-check
import { idsIn } from "./cited-ids.mjs";

/** @typedef {ReadonlyMap<string, readonly string[]>} Citations rule id to the files that cite it */
/**
 * @typedef {object} Proof
 * @property {Citations} proven by a test that ran and passed
 * @property {Citations} elsewhere by a test of a run whose report is not here
 * @property {Citations} unproven by a test that should have run and was skipped or failed
 */

const OTHER_RUNS = /^tests\/(agents|frameworks|proxy|documents)\//;

/**
 * The npm script that runs a test file.
 * @param {string} file below the root
 */
export function scriptOf(file) {
  const run = OTHER_RUNS.exec(file)?.[1];
  return run === undefined ? "test" : `test:${run}`;
}

/**
 * Which rules are proven, by the titles of test files and by the reports of the runs that are over.
 * @param {ReadonlyMap<string, readonly string[]>} titled test file to the ids its titles cite, whether its tests run or not
 * @param {readonly import("./read-reports.mjs").FileReport[]} reports
 * @returns {Proof}
 */
export function cite(titled, reports) {
  const reported = new Set(reports.map(({ file }) => scriptOf(file)));
  /** @type {Map<string, string[]>} */
  const proven = new Map();
  /** @type {Map<string, string[]>} */
  const elsewhere = new Map();
  /** @type {Map<string, string[]>} */
  const unproven = new Map();
  for (const { file, passed } of reports) for (const id of new Set(passed.flatMap(idsIn))) add(proven, id, file);
  for (const [file, ids] of titled) {
    const isReported = reported.has(scriptOf(file));
    for (const id of ids) if (!proven.get(id)?.includes(file)) add(isReported ? unproven : elsewhere, id, file);
  }
  return { proven, elsewhere, unproven };
}

/**
 * @param {Map<string, string[]>} citations
 * @param {string} id
 * @param {string} file
 */
function add(citations, id, file) {
  citations.set(id, [...(citations.get(id) ?? []), file]);
}
