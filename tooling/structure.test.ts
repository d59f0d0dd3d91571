import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { ESLint } from "eslint";
import { describe, expect, it, onTestFinished } from "vitest";
import config from "../.dependency-cruiser.mjs";

const GOOD = {
  "packages/protocol/package.json": '{"name":"@wakeshift/protocol","type":"module","exports":{".":"./dist/index.js"}}',
  "packages/protocol/dist/index.js": "export const a = 1;\n",
  "packages/protocol/src/index.ts": 'export { a } from "./a.ts";\n',
  "packages/protocol/src/a.ts": "export const a = 1;\n",
  "packages/core/src/main.ts": 'import { a } from "@wakeshift/protocol";\nexport const b: number = a;\n',
  "tests/system/x.test.ts": 'import { b } from "@wakeshift/core";\nimport { c } from "../c.ts";\n',
  "tests/c.ts": "export const c = 1;\n",
};

/** Which rules a workspace of these files breaks. */
async function broken(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), "structure-"));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  for (const [path, text] of Object.entries({ ...GOOD, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const rooms = ["packages", "examples", "plugins", "tests"].filter((room) =>
    Object.keys({ ...GOOD, ...files })
      .join()
      .includes(`${room}/`),
  );
  const { forbidden, options } = config;
  const { output } = await cruise(rooms, { ...options, baseDir: root, ruleSet: { forbidden: forbidden ?? [] }, validate: true });
  return (output as ICruiseResult).summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
}

describe("structure check", () => {
  it("lets a workspace pass whose arrows go down", async () => {
    expect(await broken({})).toEqual([]);
  });

  it.each([
    [
      "a package that imports one above it",
      "packages/protocol/src/a.ts",
      'import type { B } from "@wakeshift/core";\n',
      "arrows-of-protocol",
    ],
    ["a package that imports its neighbor", "packages/core/src/x.ts", 'import "@wakeshift/bridge";\n', "arrows-of-core"],
    ["an example that imports more than the SDK", "examples/crawler/src/x.ts", 'export * from "@wakeshift/core";\n', "arrows-of-crawler"],
    ["a plugin that imports a package", "plugins/opencode/x.js", 'await import("wakeshift");\n', "arrows-of-plugins"],
    ["an unknown room", "packages/extra/src/x.ts", 'import "@wakeshift/protocol";\n', "unknown-room"],
    ["an entry that isn't published", "packages/core/src/x.ts", 'import "@wakeshift/protocol/dist/a.js";\n', "unpublished-entry"],
    ["a path into another package", "packages/core/src/x.ts", 'import "../../protocol/src/a.ts";\n', "inside-of-a-package"],
    ["a path from a test into a package", "tests/x.ts", 'import "../packages/core/src/main.ts";\n', "inside-of-a-package"],
    ["a bucket", "packages/core/src/utils.ts", 'import "./main.ts";\n', "bucket"],
  ])("refuses %s", async (_what, path, text, rule) => {
    const importer = path.endsWith("utils.ts") ? { "packages/core/src/y.ts": 'import "./utils.ts";\n' } : {};
    expect((await broken({ [path]: text, ...importer })).join()).toContain(`${rule}: `);
  });

  it("refuses a circle of imports, also of types only", async () => {
    const circle = {
      "packages/core/src/x.ts": 'import type { Y } from "./y.ts";\nexport type X = Y;\n',
      "packages/core/src/y.ts": 'export type { Z as Y } from "./z.ts";\n',
      "packages/core/src/z.ts": 'export type Z = import("./x.ts").X;\n',
    };
    expect(await broken(circle)).toContain("circle-of-files: packages/core/src/x.ts");
  });

  it("names folders that import each other", async () => {
    const circle = {
      "packages/core/src/one/x.ts": 'import "../two/x.ts";\n',
      "packages/core/src/two/x.ts": "export const x = 1;\n",
      "packages/core/src/two/y.ts": 'import "../one/y.ts";\n',
      "packages/core/src/one/y.ts": "export const y = 1;\n",
    };
    expect(await broken(circle)).toContain("circle-of-folders: packages/core/src/one");
  });

  it("refuses files of more than 600 lines and functions of more than 100", async () => {
    const eslint = new ESLint();
    const rules = async (text: string): Promise<readonly (string | null)[]> => {
      const [result] = await eslint.lintText(text, { filePath: "tooling/machine.mjs" });
      return result?.messages.map(({ ruleId }) => ruleId) ?? [];
    };
    const lines = (count: number): string => "// a line\n".repeat(count);
    expect(await rules(`export function f() {\n${lines(98)}}\n${lines(500)}`)).toEqual([]);
    expect(await rules(`export function f() {\n${lines(99)}}\n`)).toEqual(["max-lines-per-function"]);
    expect(await rules(lines(601))).toEqual(["max-lines"]);
  });
});
