import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { codeBlocksIn } from "./code-blocks.ts";
import type { CodeBlock } from "./code-blocks.ts";
import { READERS_PARTS, moduleOf } from "./readers-part.ts";
import type { BlockName } from "./readers-part.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The documents' blocks, compiled to modules that run. */
export interface CompiledBlocks {
  /** Blocks for which nobody has written the reader's part. */
  readonly unknown: readonly CodeBlock[];
  /** The compiler's complaints, empty if there are none. */
  readonly complaints: string;
  /** Loads a block's module afresh, with the environment as it is now. */
  load(name: BlockName): Promise<any>;
  remove(): void;
}

/** Compiles every block of a folder of documents under strict settings, against the built packages. */
export function compileBlocks(folder: string): CompiledBlocks {
  // Inside the workspace, so that its packages are found.
  mkdirSync(join(ROOT, "tmp"), { recursive: true });
  const work = mkdtempSync(join(ROOT, "tmp", "documents-"));
  const unknown: CodeBlock[] = [];
  const parts = Object.entries(READERS_PARTS);
  for (const block of codeBlocksIn(folder)) {
    const [name, part] = parts.find(([, { mark }]) => block.code.includes(mark)) ?? [];
    if (name === undefined || part === undefined) unknown.push(block);
    else writeFileSync(join(work, `${name}.ts`), moduleOf(block, part));
  }
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitReturns: true,
    noImplicitOverride: true,
    target: "ES2023",
    module: "nodenext",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    types: ["node"],
    // The MCP SDK 1.x declares by types its own dependencies lack.
    skipLibCheck: true,
    outDir: "out",
  };
  writeFileSync(join(work, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(work, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", work, "--pretty", "false"], { cwd: work, encoding: "utf8" });
  let loads = 0;
  return {
    unknown,
    complaints: stdout.trim(),
    load: (name) => import(`${pathToFileURL(join(work, "out", `${name}.js`)).href}?${String((loads += 1))}`),
    remove: () => rmSync(work, { recursive: true, force: true }),
  };
}
