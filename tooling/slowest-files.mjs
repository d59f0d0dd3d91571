// Usage: node tooling/slowest-files.mjs REPORT …   Prints the ten test files that took longest in these reports of vitest's JSON reporter.
import { readReports } from "./requirements/read-reports.mjs";
import { ROOT } from "./machine.mjs";

const COUNT = 10;

const slowest = [...readReports(process.argv.slice(2), ROOT)].sort((one, other) => other.ms - one.ms).slice(0, COUNT);
console.log("The slowest test files:");
for (const { file, ms } of slowest) console.log(`  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
