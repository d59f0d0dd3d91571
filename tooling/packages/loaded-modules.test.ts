import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadedModules } from "./loaded-modules.mjs";

function packageOf(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loaded-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules", "one"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "node_modules", "one", name), text);
  return folder;
}

test("counts each file once that an import loads, whether imported or required, and nothing of Node's", () => {
  const files = {
    "package.json": JSON.stringify({ name: "one", type: "module", main: "a.js" }),
    "a.js": 'import "node:fs"; import "./b.js"; import "./c.cjs";',
    "b.js": 'import "./c.cjs"; export const text = "é";',
    "c.cjs": 'require("./d.cjs"); require("node:path");',
    "d.cjs": "module.exports = 1;",
    "never.js": "export const never = 1;",
  };
  const folder = packageOf(files);
  const loaded = ["a.js", "b.js", "c.cjs", "d.cjs"] as const;
  expect(loadedModules(folder, "one")).toEqual({
    modules: 4,
    bytes: loaded.reduce((sum, name) => sum + Buffer.byteLength(files[name]), 0),
    files: loaded.map((name) => join(folder, "node_modules", "one", name)),
  });
});

test("says why an import failed", () => {
  const folder = packageOf({ "package.json": '{"name":"one","main":"a.js"}', "a.js": 'throw new Error("not today");' });
  expect(() => loadedModules(folder, "one")).toThrow(/importing one failed: .*not today/s);
});
