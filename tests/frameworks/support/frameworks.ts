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
} as const;

/** The folder that holds a framework and what it needs; fails with what to do where it isn't installed. */
export function frameworkModules(name: keyof typeof FRAMEWORKS): string {
  const cache = process.env["WAKESHIFT_FRAMEWORK_CACHE"] ?? join(homedir(), ".cache", "wakeshift", "frameworks");
  const modules = join(cache, `${name}-${FRAMEWORKS[name]}`, "node_modules");
  if (!existsSync(modules)) throw new Error(`${name} is not installed in ${cache}: run \`npm run test:frameworks\`, which installs it`);
  return modules;
}
