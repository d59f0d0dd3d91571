// WAKESHIFT_DOCUMENTS=folder npm run test:documents: compiles and runs every TypeScript block of the Markdown in that folder.
// Arguments are passed on to vitest.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, checkMachine, ROOT, stop } from "./machine.mjs";

checkMachine();
const folder = process.env.WAKESHIFT_DOCUMENTS ?? "";
if (folder === "" || !existsSync(folder)) stop("Set WAKESHIFT_DOCUMENTS to the folder whose Markdown is to be tested.");
await build();
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const args = [vitest, "run", "--config", "vitest.documents.config.ts", ...process.argv.slice(2)];
const env = { ...process.env, WAKESHIFT_DOCUMENTS: resolve(folder) };
const { status } = spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: "inherit", timeout: 300_000 });
process.exit(status ?? 1);
