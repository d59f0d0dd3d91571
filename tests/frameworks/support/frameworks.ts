import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The pinned packages; `tooling/test-frameworks.mjs` installs these versions. */
export const FRAMEWORKS = {
  xmcp: "1.1.3",
  "openapi-mcp-generator": "4.0.1",
  "mcp-sdk-1": "1.20.0",
  "mcp-sdk-2": "2.0.0",
  "ext-apps": "1.7.5",
  workerd: "1.20261117.1",
  bun: "1.4.5",
  deno: "2.9.6",
  pnpm: "12.23.0",
  yarn: "4.18.1",
  "mcp-handler": "2.4.0",
  fastmcp: "4.20.16",
  nest: "12.5.1",
  jest: "30.5.2",
  zod: "4.6.7",
} as const;

/** Where they are, and what else is kept from one run to the next. */
export const FRAMEWORKS_CACHE = process.env["WAKESHIFT_FRAMEWORK_CACHE"] ?? join(homedir(), ".cache", "wakeshift", "frameworks");

/** The folder that holds a framework and what it needs; fails with what to do where it isn't installed. */
export function frameworkModules(name: keyof typeof FRAMEWORKS): string {
  const modules = join(FRAMEWORKS_CACHE, `${name}-${FRAMEWORKS[name]}`, "node_modules");
  if (!existsSync(modules))
    throw new Error(`${name} is not installed in ${FRAMEWORKS_CACHE}: run \`npm run test:frameworks\`, which installs it`);
  return modules;
}
