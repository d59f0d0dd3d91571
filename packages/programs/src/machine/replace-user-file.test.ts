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
import { replaceUserFile } from "./replace-user-file.ts";

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
    replaceUserFile(old, "b");
    expect(statSync(old).mode & 0o777).toBe(0o644);
    const fresh = join(place, "new", "new.json");
    replaceUserFile(fresh, "c");
    expect(statSync(fresh).mode & 0o777).toBe(0o600);
    expect(readFileSync(fresh, "utf8")).toBe("c");
  });

  test("writes through a link and leaves the link a link", () => {
    const place = folder();
    const real = join(place, "dotfiles.json");
    writeFileSync(real, "a");
    const link = join(place, "settings.json");
    symlinkSync(real, link);
    replaceUserFile(link, "b");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("b");
  });

  test("leaves nothing behind where it can't write", () => {
    const place = folder();
    const blocked = join(place, "taken");
    mkdirSync(blocked);
    expect(() => replaceUserFile(blocked, "b")).toThrow();
    expect(readdirSync(place)).toEqual(["taken"]);
  });

  test.skipIf(process.platform === "win32")("says which file this user may not write, through a link too, and leaves it", () => {
    const place = folder();
    const kept = join(place, "kept");
    mkdirSync(kept);
    writeFileSync(join(kept, "settings.json"), "old");
    symlinkSync(join(kept, "settings.json"), join(place, "link.json"));
    for (const path of [place, kept]) chmodSync(path, 0o555);
    // Root may write everywhere, so it is somebody else for a moment.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(() => replaceUserFile(join(place, "link.json"), "new")).toThrow(
        expect.objectContaining({ code: "bad_request", message: expect.stringMatching(/link\.json \(a link to .*EACCES/) as string }),
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      for (const path of [place, kept]) chmodSync(path, 0o700);
    }
    expect([readdirSync(kept), readFileSync(join(kept, "settings.json"), "utf8")]).toEqual([["settings.json"], "old"]);
  });
});
