// @ts-check
import { readFileSync } from "node:fs";
import { relative } from "node:path";

/**
 * @typedef {object} FileReport what a run of vitest reported about one test file
 * @property {string} file below the root
 * @property {number} ms
 * @property {readonly string[]} passed full names of the tests that ran and passed
 */
/**
 * Reads reports of vitest's JSON reporter.
 * @param {readonly string[]} paths
 * @param {string} root
 * @returns {readonly FileReport[]}
 */
export function readReports(paths, root) {
  return paths.flatMap((path) =>
    JSON.parse(readFileSync(path, "utf8")).testResults.map((/** @type {VitestFile} */ { name, startTime, endTime, assertionResults }) => ({
      file: relative(root, name).replaceAll("\\", "/"),
      ms: Math.round(endTime - startTime),
      passed: assertionResults.filter(({ status }) => status === "passed").map(({ fullName }) => fullName),
    })),
  );
}

/** @typedef {{ name: string, startTime: number, endTime: number, assertionResults: readonly { status: string, fullName: string }[] }} VitestFile */
