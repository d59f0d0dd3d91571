// @ts-check
// Compiles every `ts` block of README.md, ARCHITECTURE.md, docs/ and the READMEs of packages, plugins and conformance under the workspace's strict settings. Build the packages first.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeBlocks, modulesOf } from "./code-blocks.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].filter((page) => existsSync(join(root, page))),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((page) => page.endsWith(".md"))
    .map((page) => join("docs", page)),
  ...["packages", "plugins", "examples"]
    .flatMap((room) => readdirSync(join(root, room)).map((name) => join(room, name, "README.md")))
    .concat(join("conformance", "README.md"))
    .filter((page) => existsSync(join(root, page))),
];
/** @type {string[]} */
const faults = [];
/** @type {Map<string, string>} */
const modules = new Map();
for (const page of pages) {
  const { blocks, faults: found } = codeBlocks(readFileSync(join(root, page), "utf8"));
  faults.push(...found.map((fault) => `${page}:${fault}`));
  for (const [place, code] of modulesOf(blocks).entries()) modules.set(`${page.replaceAll(/[^A-Za-z0-9]/g, "_")}_${place}.ts`, code);
}
if (modules.size === 0) faults.push("no page has a ts block: the check looked at nothing.");
else faults.push(...compile());
for (const fault of faults) console.error(`error: ${fault}`);
console.log(`docs: ${pages.length} pages, ${modules.size} modules, ${faults.length} errors`);
if (faults.length > 0) process.exit(1);

/** @returns {readonly string[]} */
function compile() {
  // Inside the workspace, so that its packages are found.
  mkdirSync(join(root, "tmp"), { recursive: true });
  const work = mkdtempSync(join(root, "tmp", "docs-"));
  try {
    for (const [file, code] of modules) writeFileSync(join(work, file), code);
    const compilerOptions = {
      composite: false,
      declaration: false,
      declarationMap: false,
      isolatedDeclarations: false,
      noEmit: true,
      noUnusedLocals: false,
      noUnusedParameters: false,
      // The MCP SDK 1.x declares by a DOM type; the packages check looks into declarations.
      skipLibCheck: true,
    };
    writeFileSync(
      join(work, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", work, "--pretty", "false"], { cwd: work, encoding: "utf8" });
    return status === 0 ? [] : stdout.trim().split(/\n(?! )/);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
