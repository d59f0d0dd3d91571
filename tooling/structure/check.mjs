// @ts-check
import { fileURLToPath } from "node:url";
import { checkStructure } from "./check-structure.mjs";

const root = process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url));
const { files, findings } = checkStructure(root);
for (const { level, place, message } of findings) process.stderr.write(`${level}: ${place} ${message}\n`);
if (files === 0) process.stderr.write(`error: no source files below ${root}\n`);
const errors = findings.filter(({ level }) => level === "error").length;
process.stdout.write(`structure: ${files} files, ${errors} errors, ${findings.length - errors} warnings\n`);
if (errors > 0 || files === 0) process.exit(1);
