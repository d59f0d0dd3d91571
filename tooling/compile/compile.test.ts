import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { compile } from "./compile.mjs";

const OPTIONS = { composite: true, lib: ["es5"], skipLibCheck: true, types: [], outDir: "dist" };

/** A folder of two projects, the second built on the first. */
function solution(): { write(path: string, text: string): void; build(colour?: boolean): Promise<readonly [string, readonly string[]]> } {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-compile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("tsconfig.json", JSON.stringify({ files: [], references: [{ path: "parts/one" }, { path: "parts/two" }] }));
  write("parts/one/tsconfig.json", JSON.stringify({ compilerOptions: OPTIONS, files: ["one.ts"] }));
  write("parts/one/one.ts", "export const one: number = 1;\n");
  write("parts/two/tsconfig.json", JSON.stringify({ compilerOptions: OPTIONS, files: ["two.ts"], references: [{ path: "../one" }] }));
  write("parts/two/two.ts", 'import { one } from "../one/one";\nexport const two: number = one;\n');
  return {
    write,
    build: async (colour = false) => {
      const said: string[] = [];
      return [await compile(folder, { say: (line) => void said.push(line), colour }), said];
    },
  };
}

test("says before each project which one it is and of how many, how long it took, and nothing where all is compiled", async () => {
  const { build, write } = solution();
  expect(await build()).toEqual([
    "compiled",
    [
      "Compiling (the first time takes a minute or two, later only what changed is compiled):",
      "  1/2 parts/one",
      "  2/2 parts/two",
      expect.stringMatching(/^Compiled in \d+ s\.$/),
    ],
  ]);
  expect(await build()).toEqual(["compiled", []]);
  write("parts/two/two.ts", 'import { one } from "../one/one";\nexport const three: number = one;\n');
  expect((await build())[1].slice(1, -1)).toEqual(["  2/2 parts/two"]);
});

test("the compiler's errors stand there whole, in colour too, and what it says of its own work doesn't", async () => {
  const { build, write } = solution();
  write("parts/two/two.ts", "export const two: string = 2;\n");
  expect(await build()).toEqual([
    "errors",
    [
      expect.stringContaining("Compiling"),
      "  1/2 parts/one",
      "  2/2 parts/two",
      "parts/two/two.ts(1,14): error TS2322: Type 'number' is not assignable to type 'string'.",
    ],
  ]);
  const [outcome, said] = await build(true);
  const plain = said.map((line) => stripVTControlCharacters(line));
  expect([outcome, plain.slice(0, 2)]).toEqual(["errors", [expect.stringContaining("Compiling"), "  2/2 parts/two"]]);
  expect(plain.slice(2)).toEqual([
    "parts/two/two.ts:1:14 - error TS2322: Type 'number' is not assignable to type 'string'.",
    "",
    "1 export const two: string = 2;",
    "               ~~~",
    "",
    "",
    "Found 1 error.",
    "",
  ]);
});
