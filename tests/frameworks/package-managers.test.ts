import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import { expectCallsToOutliveTheFirstClient, expectColdCallsToSubscribe } from "./support/as-on-node.ts";
import type { StartCrawler } from "./support/as-on-node.ts";
import { makeCrawlerApp, startServer } from "./support/crawler-app.ts";
import { FRAMEWORKS_CACHE, frameworkModules } from "./support/frameworks.ts";
import { packSdk } from "./support/pack-sdk.ts";

const INSTALL_LIMIT_MS = 60_000;
const bin = (name: "pnpm" | "yarn"): string => join(frameworkModules(name), ".bin", name);

/** The crawler's app, which asks for the packed SDK by file; the rest comes from the registry, and from a cache the next time. */
async function makePackedApp(): Promise<string> {
  const folder = await makeCrawlerApp({ linked: false });
  const { sdk, protocol } = await packSdk(folder);
  const path = join(folder, "package.json");
  const asked = JSON.parse(await readFile(path, "utf8"));
  asked.dependencies["@wakeshift/sdk"] = `file:${sdk}`;
  asked.resolutions = { "@wakeshift/protocol": `file:${protocol}` };
  await writeFile(path, JSON.stringify(asked));
  await writeFile(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ overrides: asked.resolutions }));
  return folder;
}

async function install(folder: string, command: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(command, args, { cwd: folder, timeout: INSTALL_LIMIT_MS });
}

const MANAGERS: Readonly<Record<string, StartCrawler>> = {
  pnpm: async (env) => {
    const folder = await makePackedApp();
    await install(
      folder,
      bin("pnpm"),
      "install",
      "--no-frozen-lockfile",
      "--prefer-offline",
      `--store-dir=${join(FRAMEWORKS_CACHE, "pnpm-store")}`,
    );
    return startServer(folder, [process.execPath, "node.mjs"], env);
  },
  "Yarn PnP": async (env) => {
    const folder = await makePackedApp();
    const { stdout: registry } = await promisify(execFile)("npm", ["config", "get", "registry"]);
    const settings = {
      nodeLinker: "pnp",
      enableTelemetry: false,
      enableGlobalCache: true,
      globalFolder: join(FRAMEWORKS_CACHE, "yarn-global"),
      npmRegistryServer: registry.trim(),
    };
    await writeFile(join(folder, ".yarnrc.yml"), JSON.stringify(settings));
    // Marks the folder as a project of its own.
    await writeFile(join(folder, "yarn.lock"), "");
    await install(folder, bin("yarn"), "install", "--no-immutable");
    return startServer(folder, [bin("yarn"), "node", "node.mjs"], env);
  },
};

describe.each(Object.entries(MANAGERS))("installed by %s", (_name, start) => {
  test("12 cold calls at once subscribe, and the server's emit wakes the one it is for (PC-65)", () => expectColdCallsToSubscribe(start));
  test("12 calls get through when the client leaves whose call had begun to publish the definitions (PC-65)", () =>
    expectCallsToOutliveTheFirstClient(start));
});
