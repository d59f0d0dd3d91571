import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { writeFileAtomically } from "./write-file.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "wakeshift-write-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("writing a settings file", () => {
  test("keeps the file's mode, and makes new ones readable by this user only", () => {
    const place = folder();
    const old = join(place, "old.json");
    writeFileSync(old, "a");
    chmodSync(old, 0o644);
    writeFileAtomically(old, "b");
    expect(statSync(old).mode & 0o777).toBe(0o644);
    const fresh = join(place, "new", "new.json");
    writeFileAtomically(fresh, "c");
    expect(statSync(fresh).mode & 0o777).toBe(0o600);
    expect(readFileSync(fresh, "utf8")).toBe("c");
  });

  test("writes through a link and leaves the link a link", () => {
    const place = folder();
    const real = join(place, "dotfiles.json");
    writeFileSync(real, "a");
    const link = join(place, "settings.json");
    symlinkSync(real, link);
    writeFileAtomically(link, "b");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("b");
  });

  test("leaves nothing behind where it can't write", () => {
    const place = folder();
    const blocked = join(place, "taken");
    mkdirSync(blocked);
    expect(() => writeFileAtomically(blocked, "b")).toThrow();
    expect(readdirSync(place)).toEqual(["taken"]);
  });
});
