// npm test: builds, runs every test but those that drive real agent programs, and says which rules they prove. Arguments are passed on to vitest.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build, checkMachine, ROOT } from "./machine.mjs";

const LIMIT_MS = 15 * 60_000;

checkMachine();
await build();
if (process.argv.length === 2)
  console.error(
    `Running the tests: several minutes, and no more than ${LIMIT_MS / 60_000}. Those with real agent programs: npm run test:agents`,
  );
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const child = spawn(process.execPath, [vitest, "run", ...process.argv.slice(2)], { cwd: ROOT, stdio: "inherit" });
const limit = setTimeout(() => {
  console.error(`The tests took longer than ${LIMIT_MS / 60_000} minutes and were stopped.`);
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), 10_000).unref();
}, LIMIT_MS);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => {
  clearTimeout(limit);
  const rules = spawnSync(process.execPath, [fileURLToPath(new URL("requirements/check.mjs", import.meta.url))], { stdio: "inherit" });
  process.exit(code === 0 ? (rules.status ?? 1) : (code ?? 1));
});
