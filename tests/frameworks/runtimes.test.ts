import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, test } from "vitest";
import {
  expectCallsToOutliveTheFirstClient,
  expectCallsToOutliveTheFirstRequest,
  expectColdCallsToSubscribe,
  expectOwnErrorWithoutRollback,
} from "./support/as-on-node.ts";
import type { StartCrawler } from "./support/as-on-node.ts";
import { makeCrawlerApp, startServer } from "./support/crawler-app.ts";
import { frameworkModules } from "./support/frameworks.ts";

const bin = (name: "bun" | "deno" | "workerd"): string => join(frameworkModules(name), ".bin", name);

const RUNTIMES: Readonly<Record<string, StartCrawler>> = {
  Node: async (env) => startServer(await makeCrawlerApp({ linked: true }), [process.execPath, "node.mjs"], env),
  Bun: async (env) => startServer(await makeCrawlerApp({ linked: true }), [bin("bun"), "bun.mjs"], env),
  Deno: async (env) => {
    const options = ["run", "--allow-all", "--no-prompt", "--no-lock", "--node-modules-dir=manual"];
    return startServer(await makeCrawlerApp({ linked: true }), [bin("deno"), ...options, "deno.mjs"], env);
  },
  Workers: async (env) => {
    const folder = await makeCrawlerApp({ linked: true });
    const { build } = await import(pathToFileURL(join(frameworkModules("workerd"), "esbuild", "lib", "main.js")).href);
    await build({
      absWorkingDir: folder,
      entryPoints: ["worker.mjs"],
      outfile: "bundle.js",
      bundle: true,
      format: "esm",
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*"],
      logLevel: "error",
    });
    return startServer(folder, [bin("workerd"), "serve", "worker.capnp", "--control-fd=1"], env);
  },
};

describe.each(Object.entries(RUNTIMES))("on %s", (_name, start) => {
  test("12 cold calls at once subscribe, and the server's emit wakes the one it is for (PC-65)", () => expectColdCallsToSubscribe(start));
  test("12 calls get through when the client leaves whose call had begun to publish the definitions (PC-65)", () =>
    expectCallsToOutliveTheFirstClient(start));
  test("12 calls get through after a request that was answered before the definitions were published (PC-65)", () =>
    expectCallsToOutliveTheFirstRequest(start));
  test("a tool that throws is answered with its own error though the core takes no rollback (PC-65)", () =>
    expectOwnErrorWithoutRollback(start));
});
