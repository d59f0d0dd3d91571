import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { forgetApplied, readApplied, rememberApplied } from "./applied.ts";

function home(): string {
  const path = mkdtempSync(join(tmpdir(), "wakeshift-applied-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("what set-up remembers", () => {
  test("PC-30 a second set-up keeps the bytes from before the first", () => {
    const place = home();
    rememberApplied(place, "codex", [{ path: "/a", before: "user's", after: "ours 1" }]);
    rememberApplied(place, "codex", [
      { path: "/a", before: "ours 1", after: "ours 2" },
      { path: "/b", before: undefined, after: "new" },
    ]);
    expect(readApplied(place, "codex")).toEqual([
      { path: "/a", before: "user's", after: "ours 2" },
      { path: "/b", after: "new" },
    ]);
  });

  test("what the user edited between two set-ups is the user's, and comes back", () => {
    const place = home();
    rememberApplied(place, "codex", [{ path: "/a", before: "first", after: "first + ours" }]);
    rememberApplied(place, "codex", [{ path: "/a", before: "edited", after: "edited + ours" }]);
    expect(readApplied(place, "codex")).toEqual([{ path: "/a", before: "edited", after: "edited + ours" }]);
  });

  test("forgets one program and keeps the others", () => {
    const place = home();
    rememberApplied(place, "codex", [{ path: "/a", before: "x", after: "y" }]);
    rememberApplied(place, "opencode", [{ path: "/b", before: "x", after: "y" }]);
    forgetApplied(place, "codex");
    expect(readApplied(place, "codex")).toEqual([]);
    expect(readApplied(place, "opencode")).toHaveLength(1);
  });

  test.each(["{", "null", "[]", "7", '{"codex":null}', '{"codex":[7,{"path":1}]}'])("a file that holds %s counts as empty", (text) => {
    const place = home();
    writeFileSync(join(place, "setup.json"), text);
    expect(readApplied(place, "codex")).toEqual([]);
    rememberApplied(place, "codex", [{ path: "/a", before: "x", after: "y" }]);
    expect(readApplied(place, "codex")).toHaveLength(1);
  });
});
