// Prints "PASSED FAILED" of one vitest run: node .ci/count.mjs REPORT EXIT_CODE
// A run that left no report, ran nothing, or failed without a failed test counts as one failure.
import { existsSync, readFileSync } from "node:fs";

const [report = "", exitCode = "1"] = process.argv.slice(2);
const result = existsSync(report)
  ? JSON.parse(readFileSync(report, "utf8"))
  : { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1 };
const { numPassedTests: passed, numFailedTests: failed } = result;
const fault = exitCode !== "0" || passed === 0;
console.log(`${passed} ${Math.max(failed, fault ? 1 : 0)}`);
