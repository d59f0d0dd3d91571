// npm test: builds, runs every test but those that drive real agent programs, prints which rules they prove and which files are slow.
// Arguments are passed on to vitest; such a run is not judged by the rules, since it may leave tests out.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, checkMachine, ROOT } from "./machine.mjs";

const LIMIT_MS = 15 * 60_000;

checkMachine();
await build();
const given = process.argv.slice(2);
const isWhole = given.length === 0;
if (isWhole)
  console.error(
    `Running the tests: several minutes, and no more than ${LIMIT_MS / 60_000}. Those with real agent programs: npm run test:agents`,
  );
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "wakeshift-test-"));
const report = join(scratch, "report.json");
const args = isWhole ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : given;
const child = spawn(process.execPath, [vitest, "run", ...args], { cwd: ROOT, stdio: "inherit" });
const limit = setTimeout(() => {
  console.error(`The tests took longer than ${LIMIT_MS / 60_000} minutes and were stopped.`);
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), 10_000).unref();
}, LIMIT_MS);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => {
  clearTimeout(limit);
  const judge = (tool) => spawnSync(process.execPath, [join(ROOT, "tooling", tool), report], { stdio: "inherit" }).status ?? 1;
  let verdict = 0;
  if (existsSync(report)) {
    judge("slowest-files.mjs");
    verdict = judge(join("requirements", "check.mjs"));
  } else if (isWhole) verdict = 1;
  rmSync(scratch, { recursive: true, force: true });
  process.exit(code === 0 ? verdict : (code ?? 1));
});
