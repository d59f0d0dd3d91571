import { chmodSync, chownSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./files.test.support.ts";
import { assertOwnFolder, makePrivateFolder } from "./private-folder.ts";

/** A folder of somebody else: made where this user may give one away, else root's. */
function foreignFolder(): string {
  if (process.getuid?.() !== 0) return "/usr";
  const folder = join(temporaryFolder(), "foreign");
  mkdirSync(folder);
  chownSync(folder, 65_534, 65_534);
  return folder;
}

function linkTo(target: string): string {
  const link = join(temporaryFolder(), "link");
  symlinkSync(target, link);
  return link;
}

const refused = expect.objectContaining({ code: "internal", retryable: false }) as Error;

/** A link of somebody else's to a folder of this user; none where this user can't give one away. */
function foreignLinks(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const link = linkTo(temporaryFolder());
  lchownSync(link, 65_534, 65_534);
  return [link];
}

test("another user's folder is refused, also behind a link of this user's, and so is another user's link", () => {
  const folder = foreignFolder();
  for (const path of [folder, linkTo(folder), ...foreignLinks()]) {
    expect(() => assertOwnFolder(path)).toThrow(/belongs to another user/);
    expect(() => makePrivateFolder(path)).toThrow(refused);
  }
});

test("a link of this user's to a folder of their own is followed, and others lose their rights to that folder", () => {
  const folder = join(temporaryFolder(), "own");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const link = linkTo(folder);
  makePrivateFolder(link);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(() => makePrivateFolder(link, false)).toThrow(/symbolic link/);
});

test("a file in its place is refused, and a folder that isn't there is made for this user alone", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => makePrivateFolder(file)).toThrow(/is not a folder/);
  const folder = join(temporaryFolder(), "a", "b");
  expect(assertOwnFolder(folder)).toBeUndefined();
  makePrivateFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});
