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
];
const LIMIT_MS = 10 * 60_000;

function fail(message) {
  console.error(`test:frameworks: ${message}`);
  process.exit(1);
}

await installOutside({ cache: CACHE, size: "about 160 MB", fail }, FRAMEWORKS);
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
