// npm run test:proxy: the tests that put a real nginx in front of the core. Arguments are passed on to vitest.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build, checkMachine, ROOT, stop } from "./machine.mjs";

checkMachine();
process.env.PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
if (spawnSync("nginx", ["-v"]).error !== undefined) {
  stop("nginx is missing. Install it (Debian, Ubuntu: apt-get install nginx; macOS: brew install nginx) and run the command again.");
}
await build();
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const args = [vitest, "run", "--config", "vitest.proxy.config.ts", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", timeout: 300_000 });
process.exit(status ?? 1);
