import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lastingMain, removeOlderCopies } from "./lasting-installation.ts";

function installedIn(...place: readonly string[]): { readonly home: string; readonly main: string } {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-lasting-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const main = join(folder, ...place, "node_modules", "wakeshift", "dist", "main.js");
  for (const path of [main, join(folder, ...place, "node_modules", "other", "index.js")]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "// code");
  }
  return { home: join(folder, "home"), main };
}

test("PC-50 what npx keeps in its cache is copied whole into Wakeshift's folder, once for each version", () => {
  const { home, main } = installedIn(".npm", "_npx", "0a1b2c");
  const lasting = lastingMain(main, "1.2.3", home);
  expect(lasting).toBe(join(home, "versions", "1.2.3", "node_modules", "wakeshift", "dist", "main.js"));
  rmSync(dirname(dirname(dirname(main))), { recursive: true });
  expect(readFileSync(lasting, "utf8")).toBe("// code");
  expect(existsSync(join(home, "versions", "1.2.3", "node_modules", "other", "index.js"))).toBe(true);
  expect(lastingMain(main, "1.2.3", home)).toBe(lasting);
  removeOlderCopies("1.2.4", home);
  expect(existsSync(lasting)).toBe(false);
});

test("what is installed, or lies in a checkout, is called where it is", () => {
  const { home, main } = installedIn("lib");
  expect(lastingMain(main, "1.2.3", home)).toBe(main);
  expect(existsSync(home)).toBe(false);
});

test.each([
  ["pnpm", "dlx", "abc"],
  ["tmp", "dlx-1234"],
  ["tmp", "xfs-12ab", "dlx-1"],
  ["tmp", "bunx-0-wakeshift@latest"],
])("PC-50 the cache of another package runner is refused, with what to do: %s %s", (...place) => {
  const { home, main } = installedIn(...place);
  expect(() => lastingMain(main, "1.2.3", home)).toThrow(/npm install -g wakeshift/);
});
