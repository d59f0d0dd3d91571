// @ts-check
// Packs every package as it would be published and looks at the result from outside: contents, size, publint, types, a consumer.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { CEILINGS, IMPORT_CEILINGS } from "./ceilings.mjs";
import { foreignPackages } from "./foreign-types.mjs";
import { judgeFiles } from "./judge-files.mjs";
import { loadedModules } from "./loaded-modules.mjs";
import { codeBlocks, modulesOf } from "../docs/code-blocks.mjs";
import { COMMONJS, NEWEST, OLDEST, compilerOf, newestNodeTypes } from "./typescript-versions.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "packages-"));
const modules = join(work, "node_modules");
/** @type {string[]} */
const faults = [];

try {
  linkDependencies();
  const packed = copyOfPackages().map(pack);
  for (const one of packed) {
    console.log(`${one.name} ${one.unpackedSize} bytes in ${one.files.length} files`);
    for (const fault of judgeFiles(one, CEILINGS)) faults.push(`${one.name} ${fault}`);
    readContents(one);
    await lint(one);
    checkTypes(one);
  }
  consume(packed);
  consumeSdk();
  requireSdk();
  weighImports();
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const fault of faults) console.error(`error: ${fault}`);
console.log(`packages: ${faults.length} errors`);
if (faults.length > 0) process.exit(1);

/**
 * @typedef {import("./judge-files.mjs").Packed & { tarball: string, unpacked: string, exports: Readonly<Record<string, unknown>> }} Package
 */
/**
 * @param {string} folder
 * @returns {Package}
 */
function pack(folder) {
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", work], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [packed] = JSON.parse(output);
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const tarball = join(work, packed.filename);
  const unpacked = join(modules, packed.name);
  mkdirSync(unpacked, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"]);
  return { ...packed, exports, tarball, unpacked };
}

/** @param {Package} one */
function readContents({ name, files, unpacked }) {
  const read = (/** @type {string} */ path) => readFileSync(join(unpacked, path), "utf8");
  for (const { path } of files)
    if (/\.(js|ts)$/.test(path) && /^\/\/# sourceMappingURL=/m.test(read(path)))
      faults.push(`${name} would publish ${path}, which names a source map that is not published. Compile without source maps.`);
  if (files.some(({ path }) => path === "LICENSE") && read("LICENSE") !== readFileSync(join(root, "LICENSE"), "utf8"))
    faults.push(`${name} has another LICENSE than the workspace. Copy that one.`);
}

/** @param {Package} one */
async function lint(one) {
  const { messages, pkg } = await publint({ pkgDir: one.unpacked, pack: false, strict: true });
  for (const message of messages) {
    if (message.type !== "suggestion") faults.push(`${one.name} ${formatMessage(message, pkg, { color: false })} (publint)`);
  }
}

/** @param {Package} one */
function checkTypes(one) {
  if (!("." in one.exports)) return;
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  // Authors import the SDK from CommonJS, too. The others have readers that are ES modules alone.
  const profile = one.name === "@wakeshift/sdk" ? "strict" : "esm-only";
  const printing = ["--format", "ascii", "--no-color", "--no-emoji"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [attw, one.tarball, "--profile", profile, "--exclude-entrypoints", "package.json", ...printing],
    { encoding: "utf8" },
  );
  if (status !== 0) faults.push(`${one.name} has types that don't fit its code (attw):\n${stdout}${stderr}`);
}

/**
 * Compiles and runs a program that uses the packed packages, with every declaration checked.
 * @param {readonly Package[]} packed
 */
function consume(packed) {
  writeFileSync(join(work, "package.json"), JSON.stringify({ type: "module" }));
  const names = packed.flatMap((one) =>
    Object.keys(one.exports)
      .filter((entry) => entry !== "./package.json")
      .map((entry) => one.name + entry.slice(1)),
  );
  writeFileSync(
    join(work, "all.ts"),
    names.map((name, place) => `import * as package${place} from "${name}";\nexport { package${place} };\n`).join(""),
  );
  copyFileSync(join(root, "tooling/packages/consumer.ts"), join(work, "consumer.ts"));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const settings = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "NodeNext",
    target: "ES2023",
    lib: ["ES2023"],
    types: ["node"],
    skipLibCheck: false,
  };
  writeFileSync(join(work, "tsconfig.json"), JSON.stringify({ compilerOptions: settings, files: ["all.ts", "consumer.ts"] }));
  const compiled = spawnSync(process.execPath, [tsc, "-p", work], { encoding: "utf8" });
  if (compiled.status !== 0) faults.push(`a consumer of the packed packages doesn't compile:\n${compiled.stdout}`);
  for (const file of ["all.js", "consumer.js"]) {
    const run = spawnSync(process.execPath, [file], { cwd: work, encoding: "utf8", timeout: 60_000 });
    if (run.status !== 0) faults.push(`a consumer of the packed packages doesn't run (${file}):\n${run.stderr}`);
  }
  const version = spawnSync(process.execPath, [binOf(), "--version"], { cwd: work, encoding: "utf8", timeout: 60_000 });
  if (version.status !== 0 || !/^\d+\.\d+\.\d+/.test(version.stdout))
    faults.push(`the packed command doesn't say its version: ${version.stdout}${version.stderr}`);
}

/** An author's programs under the oldest and the newest TypeScript, every declaration checked, by each way of finding modules. */
function consumeSdk() {
  const both = ["consumer.ts", "plain-consumer.ts"];
  for (const file of [...both, "older-sdk-consumer.ts"]) copyFileSync(join(root, "tooling/packages", file), join(work, file));
  const node = { lib: ["ES2022"], types: ["node"] };
  for (const version of [OLDEST, NEWEST]) {
    compileAs(version, both, { module: "NodeNext", moduleResolution: "NodeNext", ...node });
    compileAs(version, both, { module: "ESNext", moduleResolution: "Bundler", ...node });
    // The MCP SDK 1.x declares by a DOM type.
    compileAs(version, ["older-sdk-consumer.ts"], { module: "NodeNext", lib: ["ES2022", "DOM"], types: ["node"] });
    // What differs by the way of finding modules is our own entries: without the libraries beside them it is quickly told.
    compileAs(version, ["plain-consumer.ts"], { module: "Node16", moduleResolution: "Node16", ...node });
    // A runtime that isn't Node has the same names from the DOM.
    compileAs(version, ["plain-consumer.ts"], { module: "NodeNext", lib: ["ES2022", "DOM"], types: [] });
  }
  const pages = quickstartModules();
  // As npm and `tsc --init` set an author up: with Node's newest types, whose declarations an old compiler may not read throughout.
  const author = { module: "NodeNext", ...node, typeRoots: [newestNodeTypes()], skipLibCheck: true };
  for (const version of [OLDEST, NEWEST]) compileAs(version, pages, author);
  const listed = compileAs(undefined, ["plain-consumer.ts"], { module: "NodeNext", lib: ["ES2022"], types: ["node"], listFiles: true });
  for (const name of foreignPackages(listed))
    faults.push(`@wakeshift/sdk shows types of ${name} to whoever imports it. Describe what it needs of them by a shape of its own.`);
}

/** An author's CommonJS project, by each way it finds modules, under each minor version of TypeScript in use; run as Node loads it. */
function requireSdk() {
  const folder = join(work, "commonjs");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  copyFileSync(join(root, "tooling/packages/commonjs-consumer.ts"), join(folder, "commonjs-consumer.ts"));
  const ways = {
    node10: { module: "CommonJS", moduleResolution: "Node10" },
    node16: { module: "Node16" },
    nodenext: { module: "NodeNext" },
    bundler: { module: "ESNext", moduleResolution: "Bundler", noEmit: true },
  };
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
  const projects = Object.entries(ways).map(([way, settings]) => {
    const compilerOptions = { ...strict, target: "ES2022", lib: ["ES2022"], types: ["node"], outDir: way, ...settings };
    writeFileSync(join(folder, `${way}.json`), JSON.stringify({ compilerOptions, files: ["commonjs-consumer.ts"] }));
    return `${way}.json`;
  });
  for (const version of COMMONJS) {
    // Built in one process, so that the declarations all ways share are read once.
    const compiled = spawnSync(process.execPath, [compilerOf(version), "-b", "--force", ...projects], { cwd: folder, encoding: "utf8" });
    if (compiled.status !== 0) faults.push(`a CommonJS consumer doesn't compile with TypeScript ${version}:\n${compiled.stdout}`);
  }
  for (const way of ["node10", "node16", "nodenext"]) {
    const run = spawnSync(process.execPath, [join(way, "commonjs-consumer.js")], { cwd: folder, encoding: "utf8", timeout: 60_000 });
    if (run.status !== 0 || run.stderr !== "") faults.push(`a CommonJS consumer doesn't run as compiled for ${way}:\n${run.stderr}`);
  }
  // The declarations for `require` name each value by hand.
  for (const entry of ["", "/testing", "/tools"]) {
    const declared = readFileSync(join(modules, "@wakeshift/sdk/commonjs", `${entry.slice(1) || "index"}.d.cts`), "utf8");
    const code = `console.log(JSON.stringify(Object.keys(require("@wakeshift/sdk${entry}"))))`;
    const run = spawnSync(process.execPath, ["-e", code], { cwd: folder, encoding: "utf8", timeout: 60_000 });
    const missing = JSON.parse(run.stdout || "[]").filter((/** @type {string} */ name) => !declared.includes(`declare const ${name}:`));
    if (run.status !== 0 || missing.length > 0)
      faults.push(`@wakeshift/sdk${entry} doesn't declare ${missing.join(", ")} for require (packages/sdk/commonjs).${run.stderr}`);
  }
}

/**
 * What an author copies first, each block as it stands on the page.
 * @returns {readonly string[]} its files
 */
function quickstartModules() {
  const modulesOfPage = modulesOf(codeBlocks(readFileSync(join(root, "docs/quickstart.md"), "utf8")).blocks);
  return modulesOfPage.map((code, place) => {
    writeFileSync(join(work, `quickstart-${place}.ts`), code);
    return `quickstart-${place}.ts`;
  });
}

/**
 * @param {string | undefined} version of TypeScript; the workspace's own where none is named
 * @param {readonly string[]} files
 * @param {object} settings
 * @returns {string} what the compiler printed
 */
function compileAs(version, files, settings) {
  const tsc = version === undefined ? join(root, "node_modules/typescript/bin/tsc") : compilerOf(version);
  const project = join(work, "tsconfig.author.json");
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: "ES2022",
    noEmit: true,
    skipLibCheck: false,
    ...settings,
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
  if (status !== 0)
    faults.push(
      `an author's ${files.join(" and ")} doesn't compile with TypeScript ${version ?? "of the workspace"} (${JSON.stringify(settings)}):\n${stdout}`,
    );
  return stdout;
}

/** What importing a packed package loads, under its ceilings. */
function weighImports() {
  for (const [name, most] of Object.entries(IMPORT_CEILINGS)) {
    const { modules: count, bytes } = loadedModules(work, name);
    console.log(`${name} loads ${count} modules of ${bytes} bytes`);
    for (const [what, is, ceiling] of /** @type {const} */ ([
      ["modules", count, most.modules],
      ["bytes of JavaScript", bytes, most.bytes],
    ]))
      if (is > ceiling)
        faults.push(`importing ${name} loads ${is} ${what}, more than its ceiling of ${ceiling} (tooling/packages/ceilings.mjs).`);
  }
}

/** @returns {string} */
function binOf() {
  const { bin } = JSON.parse(readFileSync(join(modules, "wakeshift/package.json"), "utf8"));
  return join(modules, "wakeshift", bin.wakeshift);
}

/**
 * The packages beside the plugins, as in the workspace: packing one puts files into its folder for a moment, which what runs
 * meanwhile from the workspace itself would find there.
 */
function copyOfPackages() {
  const filter = (/** @type {string} */ path) => basename(path) !== "node_modules";
  for (const name of ["packages", "plugins"]) cpSync(join(root, name), join(work, "workspace", name), { recursive: true, filter });
  const copies = join(work, "workspace", "packages");
  return readdirSync(copies).map((name) => join(copies, name));
}

/** Other people's packages come from the workspace, as they were installed. */
function linkDependencies() {
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!name.startsWith(".") && name !== "wakeshift" && name !== "@wakeshift")
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
}
