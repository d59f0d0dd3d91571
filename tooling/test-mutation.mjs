// npm run test:mutation [-- FOLDER …]: plants faults into the sources of these folders, one at a time (StrykerJS), and counts how many
// of them the tests notice. Without a folder, all of FOLDERS. Takes hours; not part of CI. bench/README.md has the last score.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { checkMachine, ROOT, stop } from "./machine.mjs";

const FOLDERS = ["packages/protocol/src", "packages/core/src/engine", "packages/sdk/src/call", "packages/sdk/src/amend"];
const LIMIT_MINUTES = 180;

const folders = process.argv.length > 2 ? process.argv.slice(2) : FOLDERS;
const packageOf = (folder) => /^packages\/(protocol|core|sdk)\/src(\/|$)/.exec(folder)?.[1];
for (const folder of folders)
  if (packageOf(folder) === undefined || !existsSync(join(ROOT, folder)))
    stop(`"${folder}" is not a folder below packages/protocol/src, packages/core/src or packages/sdk/src.`);
checkMachine();

let failed = false;
for (const folder of folders) {
  const { version } = (await import("@stryker-mutator/core/package.json", { with: { type: "json" } })).default;
  console.log(`\n${folder}, at most ${LIMIT_MINUTES} minutes. ${describeMachine()}, StrykerJS ${version}`);
  const stryker = join(ROOT, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const env = { ...process.env, WAKESHIFT_MUTATION_PACKAGE: packageOf(folder), WAKESHIFT_MUTATION_FOLDER: folder };
  const { status } = spawnSync(process.execPath, [stryker, "run", "tooling/stryker.config.mjs"], {
    cwd: ROOT,
    env,
    stdio: "inherit",
    timeout: LIMIT_MINUTES * 60_000,
  });
  if (status !== 0) {
    console.error(`test:mutation: ${status === null ? "stopped at its limit" : "failed"} in ${folder}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);

function describeMachine() {
  const [first] = cpus();
  return `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${first?.model ?? "unknown processor"}, Node ${process.versions.node}`;
}
