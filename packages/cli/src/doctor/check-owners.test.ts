import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SettingsContext } from "@wakeshift/programs/setup";
import { expect, onTestFinished, test } from "vitest";
import { assertOwnHome } from "../setup/assert-own-home.ts";
import { checkOwners } from "./check-owners.ts";

function home(): { readonly context: SettingsContext; readonly settings: string; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-owners-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const wakeshiftHome = join(folder, "wakeshift");
  mkdirSync(join(wakeshiftHome, "bin"), { recursive: true });
  const settings = join(folder, "settings.json");
  for (const path of [settings, join(wakeshiftHome, "bin", "wakeshift")]) writeFileSync(path, "{}");
  return { context: { wakeshiftHome, userHome: folder } as SettingsContext, settings, folder };
}

test("PC-63 files that belong to somebody else are a failure, named with the chown that gives them back", () => {
  const { context, settings } = home();
  const [check, ...others] = checkOwners(context, [settings], (process.getuid?.() ?? 0) + 1_000);
  expect(others).toEqual([]);
  expect(check).toMatchObject({ program: "files", check: "owner", ok: false });
  expect(check?.detail).toContain(join(context.wakeshiftHome, "bin"));
  expect(check?.fix).toMatch(new RegExp(`^sudo chown -R \\d+ .*${context.wakeshiftHome} ${settings}$`));
  expect(checkOwners(context, [settings], process.getuid?.())).toEqual([]);
});

test("PC-63 root is refused where the folder is another user's, or would be made in one, and every user in their own is not", () => {
  const { folder, context } = home();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, 1_000, 1_000);
  const refused = isRoot || process.getuid?.() !== undefined;
  if (refused) expect(() => assertOwnHome([join(folder, "new", "deep")], 0)).toThrow(/belongs to another user .* without sudo/);
  expect(() => assertOwnHome([context.wakeshiftHome], 1_000)).not.toThrow();
  expect(() => assertOwnHome(["/"], 0)).not.toThrow();
});
