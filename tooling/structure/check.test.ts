import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkStructure } from "./check-structure.mjs";

/** Writes a workspace of these files. */
function workspace(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "structure-"));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function findings(files: Readonly<Record<string, string>>): readonly string[] {
  return checkStructure(workspace(files)).findings.map(({ level, place, message }) => `${level}: ${place} ${message}`);
}

function run(files: Readonly<Record<string, string>>): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL("check.mjs", import.meta.url)), workspace(files)], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const GOOD = {
  "packages/protocol/src/index.ts": 'export { a } from "./a.ts";\n',
  "packages/protocol/src/a.ts": "export const a = 1;\n",
  "packages/core/src/main.ts": 'import { a } from "@wakeshift/protocol";\nexport const b: number = a;\n',
  "tests/system/x.test.ts": 'import { b } from "@wakeshift/core";\nimport { c } from "../c.ts";\n',
  "tests/c.ts": "export const c = 1;\n",
};

const LONG_FUNCTION = `export function long(): void {\n${"  // a line\n".repeat(99)}}\n`;

describe("structure check", () => {
  it("lets a workspace pass whose arrows go down", () => {
    expect(findings(GOOD)).toEqual([]);
  });

  it.each([
    [
      "a package that imports one above it",
      { "packages/protocol/src/a.ts": 'import type { B } from "@wakeshift/core";\n' },
      /protocol may not import @wakeshift\/core: arrows go down only/,
    ],
    [
      "a package that imports its neighbour",
      { "packages/core/src/x.ts": 'import "@wakeshift/bridge";\n' },
      /core may not import @wakeshift\/bridge/,
    ],
    [
      "an example that imports more than the author's library",
      { "examples/crawler/src/x.ts": 'export * from "@wakeshift/core";\n' },
      /crawler may not import/,
    ],
    ["a plugin that imports a package", { "plugins/opencode/x.js": 'await import("wakeshift");\n' }, /plugins may not import wakeshift/],
    ["a room nobody knows", { "packages/extra/src/x.ts": 'import "@wakeshift/protocol";\n' }, /packages\/extra is a new room/],
    [
      "an import of another package's inside",
      { "packages/core/src/x.ts": 'import "@wakeshift/protocol/dist/a.js";\n' },
      /imports the inside of @wakeshift\/protocol/,
    ],
    [
      "the same from a test",
      { "tests/x.ts": 'type A = import("@wakeshift/protocol/dist/a.js").A;\n' },
      /imports the inside of @wakeshift\/protocol/,
    ],
    ["a path into another package", { "packages/core/src/x.ts": 'import "../../protocol/src/a.ts";\n' }, /reaches out of packages\/core/],
    ["such a path from a test", { "tests/x.ts": 'import "../packages/core/src/main.ts";\n' }, /reaches out of tests/],
    [
      "two files that import each other",
      { "packages/core/src/x.ts": 'import "./y.ts";\n', "packages/core/src/y.ts": 'import "./x.ts";\n' },
      /circle: packages\/core\/src\/x.ts → packages\/core\/src\/y.ts → packages\/core\/src\/x.ts/,
    ],
    [
      "a longer circle, of types only",
      {
        "packages/core/src/x.ts": 'import type { Y } from "./y.ts";\nexport type X = Y;\n',
        "packages/core/src/y.ts": 'export type { Z as Y } from "./z.ts";\n',
        "packages/core/src/z.ts": 'export type Z = import("./x.ts").X;\n',
      },
      /circle: .*x.ts → .*y.ts → .*z.ts → .*x.ts/,
    ],
    [
      "a file that imports itself",
      { "packages/core/src/x.ts": 'import "./x.ts";\n' },
      /circle: packages\/core\/src\/x.ts → packages\/core\/src\/x.ts/,
    ],
    ["a file of 601 lines", { "packages/core/src/x.ts": "//\n".repeat(601) }, /has 601 lines; 600 are the most/],
    [
      "a test file of 601 lines",
      { "packages/core/src/x.test.ts": "//\n".repeat(601) },
      /has 601 lines; 600 are the most. Split it by behaviour/,
    ],
    ["a function of 101 lines", { "packages/core/src/x.ts": LONG_FUNCTION }, /x.ts:1 long has 101 lines; 100 are the most/],
    [
      "an arrow function of 101 lines",
      { "packages/core/src/x.ts": `export const f = () => {\n${"//\n".repeat(99)}};\n` },
      /x.ts:1 f has 101 lines/,
    ],
    ["a method of 101 lines", { "packages/core/src/x.ts": `class A {\n m() {\n${"//\n".repeat(99)}}\n}\n` }, /x.ts:2 m has 101 lines/],
    ["a bucket file", { "packages/core/src/utils.ts": "" }, /"utils.ts" is a bucket/],
    ["a bucket folder", { "packages/core/src/helpers/x.ts": "" }, /"helpers" is a bucket/],
  ])("refuses %s", (_what, files, message) => {
    expect(findings({ ...GOOD, ...files })).toEqual([expect.stringMatching(message)]);
  });

  it("lets an entry be imported that the other package publishes", () => {
    const files = {
      "packages/bridge/package.json": '{"name":"@wakeshift/bridge","exports":{".":"./dist/index.js","./hook":"./dist/hook.js"}}',
      "packages/cli/src/x.ts": 'import "@wakeshift/bridge/hook";\nimport "@wakeshift/bridge";\n',
    };
    expect(findings({ ...GOOD, ...files })).toEqual([]);
  });

  it("lets files and functions of exactly the largest size pass", () => {
    const files = {
      "packages/core/src/x.ts": "//\n".repeat(600),
      "packages/core/src/y.ts": LONG_FUNCTION.replace("  // a line\n", ""),
      "packages/core/src/y.test.ts": "//\n".repeat(600),
      "packages/core/src/z.test.ts": LONG_FUNCTION,
    };
    expect(findings({ ...GOOD, ...files })).toEqual([]);
  });

  it("warns of a folder with more than 16 source files, tests not counted", () => {
    const files = Object.fromEntries(Array.from({ length: 17 }, (_, place) => [`packages/core/src/f${place}.ts`, ""]));
    const warning = /^warning: packages\/core\/src holds 17 source files/;
    expect(findings({ "packages/core/src/f.test.ts": "", ...files })).toEqual([expect.stringMatching(warning)]);
  });

  it("exits with 0, 1 for an error, and 1 where there is nothing to check", () => {
    expect(run(GOOD)).toMatchObject({ status: 0, stdout: "structure: 5 files, 0 errors, 0 warnings\n" });
    expect(run({ ...GOOD, "packages/core/src/utils.ts": "" })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("bucket") as string,
    });
    expect(run({})).toMatchObject({ status: 1, stderr: expect.stringContaining("no source files") as string });
  });
});
