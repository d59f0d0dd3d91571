// Runs the tests that need real frameworks and generators (tests/frameworks). Installs the pinned packages first, into a cache
// outside the workspace; with --install-only it ends there. Other arguments are passed on to vitest.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { installOutside } from "./install-outside.mjs";
import { ROOT } from "./machine.mjs";

/** A command that exits with 0 if all these can be imported. */
const importing = (...modules) => ["node", "--input-type=module", "-e", modules.map((module) => `import "${module}";`).join(" ")];

const CACHE = process.env.WAKESHIFT_FRAMEWORK_CACHE ?? join(homedir(), ".cache", "wakeshift", "frameworks");
// Keep in step with tests/frameworks/support/frameworks.ts.
const FRAMEWORKS = [
  {
    name: "xmcp",
    version: "1.1.3",
    specs: [
      "xmcp@1.1.3",
      "@xmcp-dev/compiler@1.1.3",
      "@modelcontextprotocol/client@2.4.0",
      "@modelcontextprotocol/server@2.4.0",
      "@types/node@20.19.43",
      "typescript@5.9.3",
      "zod@4.6.7",
    ],
    proof: ["xmcp", "--version"],
  },
  {
    name: "openapi-mcp-generator",
    version: "4.0.1",
    specs: ["openapi-mcp-generator@4.0.1", "@modelcontextprotocol/sdk@1.32.2", "@readme/oas-examples@8.2.2", "zod@3.25.76"],
    proof: ["openapi-mcp-generator", "--version"],
  },
  // The oldest MCP SDKs that packages/sdk/package.json names as its peers.
  {
    name: "mcp-sdk-1",
    version: "1.20.0",
    specs: ["@modelcontextprotocol/sdk@1.20.0", "zod@3.25.76"],
    proof: importing("@modelcontextprotocol/sdk/server/mcp.js"),
  },
  {
    name: "mcp-sdk-2",
    version: "2.0.0",
    specs: ["@modelcontextprotocol/server@2.0.0", "@modelcontextprotocol/client@2.0.0", "@modelcontextprotocol/node@2.0.0", "zod@4.6.7"],
    proof: importing("@modelcontextprotocol/server", "@modelcontextprotocol/client", "@modelcontextprotocol/node"),
  },
  // The line of a library that registers tools on the 1.x SDK; the workspace has the one for 2.x.
  {
    name: "ext-apps",
    version: "1.7.5",
    specs: ["@modelcontextprotocol/ext-apps@1.7.5", "@modelcontextprotocol/sdk@1.32.2", "zod@4.6.7"],
    proof: importing("@modelcontextprotocol/ext-apps/server"),
  },
  // Other runtimes than Node: npm packages that bring each program.
  {
    name: "workerd",
    version: "1.20261117.1",
    specs: ["workerd@1.20261117.1", "esbuild@0.28.2"],
    scripts: ["workerd", "esbuild"],
    proof: ["workerd", "--version"],
  },
  { name: "bun", version: "1.4.5", specs: ["bun@1.4.5"], scripts: ["bun"], proof: ["bun", "--version"] },
  { name: "deno", version: "2.9.6", specs: ["deno@2.9.6"], scripts: ["deno"], proof: ["deno", "--version"] },
  { name: "pnpm", version: "12.23.0", specs: ["pnpm@12.23.0"], scripts: ["pnpm"], proof: ["pnpm", "--version"] },
  { name: "yarn", version: "4.18.1", specs: ["@yarnpkg/cli-dist@4.18.1"], proof: ["yarn", "--version"] },
  {
    name: "mcp-handler",
    version: "2.4.0",
    specs: ["mcp-handler@2.4.0", "@modelcontextprotocol/server@2.4.0", "zod@4.6.7"],
    proof: importing("mcp-handler"),
  },
  { name: "fastmcp", version: "4.20.16", specs: ["fastmcp@4.20.16"], proof: importing("fastmcp") },
  // With what the packed SDK needs beside it, as the next one.
  {
    name: "nest",
    version: "12.5.1",
    specs: [
      ...["@nestjs/core@12.5.1", "@nestjs/common@12.5.1", "@nestjs/platform-express@12.5.1", "reflect-metadata@0.2.2", "rxjs@7.8.2"],
      ...["@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2", "typescript@5.9.3", "@types/node@20.19.43"],
      ...["@cfworker/json-schema@4", "jose@6.2.18", "zod@4.6.7", "zod-to-json-schema@3.25.2"],
    ],
    proof: importing("@nestjs/core", "@modelcontextprotocol/server"),
  },
  // What a Jest project has beside its MCP SDK, and what the packed SDK needs in it.
  {
    name: "jest",
    version: "30.5.2",
    specs: ["jest@30.5.2", "@babel/preset-env@7", "@cfworker/json-schema@4", "jose@6.2.18", "zod@4.6.7", "zod-to-json-schema@3.25.2"],
    proof: ["jest", "--version"],
  },
  {
    name: "zod",
    version: "4.6.7",
    specs: ["zod@4.6.7", "zod-3-25@npm:zod@3.25.76", "zod-3-24@npm:zod@3.24.4", "zod-3-23@npm:zod@3.23.8"],
    proof: importing("zod", "zod-3-25", "zod-3-24", "zod-3-23"),
  },
];
const LIMIT_MS = 10 * 60_000;

function fail(message) {
  console.error(`test:frameworks: ${message}`);
  process.exit(1);
}

await installOutside({ cache: CACHE, size: "about 700 MB in all", fail }, FRAMEWORKS);
if (process.argv.includes("--install-only")) process.exit(0);
const built = join(ROOT, "packages", "sdk", "dist", "tools", "index.js");
if (!existsSync(built)) fail(`${built} is missing: run \`npm run build\` first`);
const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
const child = spawn(process.execPath, [vitest, "run", "--config", "vitest.frameworks.config.ts", ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: "inherit",
  env: { ...process.env, WAKESHIFT_FRAMEWORK_CACHE: CACHE },
});
const timer = setTimeout(() => {
  console.error(`test:frameworks: stopped after ${LIMIT_MS / 60_000} minutes`);
  child.kill("SIGTERM");
}, LIMIT_MS);
child.on("close", (code) => {
  clearTimeout(timer);
  process.exit(code ?? 1);
});
