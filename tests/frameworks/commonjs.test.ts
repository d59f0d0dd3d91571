import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { frameworkModules } from "./support/frameworks.ts";
import { makePackedProject } from "./support/pack-sdk.ts";

const run = promisify(execFile);

async function makeProject(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makePackedProject("jest");
  for (const [name, text] of Object.entries({ "package.json": "{}", ...files })) await writeFile(join(folder, name), text);
  return folder;
}

const MAKE = `
  const core = testingCore();
  const wake = new Wakeshift({ ...core.options });
  const event = wake.defineEvent("crawl.finished", {
    description: "A crawl finished",
    args: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
    payload: { type: "object" },
  });`;
const REQUIRE = `
const { Wakeshift } = require("@wakeshift/sdk");
const { testingCore } = require("@wakeshift/sdk/testing");
const { attachTools } = require("@wakeshift/sdk/tools");`;
const IMPORT = REQUIRE.replaceAll(/const (\{.*\}) = require\((.*)\)/g, "import $1 from $2");
const JEST_TEST = `
test("emits", async () => {${MAKE}
  expect(await event.emit({ job: "1" }, {})).toMatchObject({ matched: 0 });
  expect(typeof attachTools).toBe("function");
});`;

// As docs/testing.md says: the two ways there are.
test.each([
  [
    "compiled by Babel",
    {
      "crawler.test.js": REQUIRE + JEST_TEST,
      "jest.config.js": `module.exports = {
        transform: { "\\\\.[cm]?js$": ["babel-jest", { presets: [["@babel/preset-env", { targets: { node: "current" } }]] }] },
        transformIgnorePatterns: ["/node_modules/(?!(@wakeshift|jose)/)"],
      };`,
    },
    {},
  ],
  [
    "as an ES module",
    { "crawler.test.mjs": IMPORT + JEST_TEST, "jest.config.js": `module.exports = { transform: {}, testMatch: ["**/*.test.mjs"] };` },
    { NODE_OPTIONS: "--experimental-vm-modules" },
  ],
])("Jest 30 runs a test that uses the packed SDK, %s (PC-61)", async (_name, files, env) => {
  const folder = await makeProject(files);
  const jest = join(frameworkModules("jest"), "jest", "bin", "jest.js");
  const { stderr } = await run(process.execPath, [jest, "--no-cache", "--watchman=false"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    timeout: 50_000,
  });
  expect(stderr).toContain("1 passed");
});

test.each(["require", "import"])(
  "esbuild puts the packed SDK into a CommonJS bundle that runs, from a program that uses %s (PC-61)",
  async (way) => {
    const program = `${way === "require" ? REQUIRE : IMPORT}
async function main() {${MAKE}
  console.log(JSON.stringify([(await event.emit({ job: "1" }, {})).matched, typeof attachTools]));
}
void main();`;
    const folder = await makeProject({ "program.js": program });
    const { build } = await import(pathToFileURL(join(frameworkModules("workerd"), "esbuild", "lib", "main.js")).href);
    const bundle = { absWorkingDir: folder, entryPoints: ["program.js"], outfile: "bundle.cjs", bundle: true, logLevel: "error" };
    await build({ ...bundle, format: "cjs", platform: "node" });
    await rm(join(folder, "node_modules"), { recursive: true });
    const { stdout } = await run(process.execPath, ["bundle.cjs"], { cwd: folder, timeout: 20_000 });
    expect(JSON.parse(stdout)).toEqual([0, "function"]);
  },
);
