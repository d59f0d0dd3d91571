import { describe, expect, it } from "vitest";
import { judgeFiles } from "./judge-files.mjs";

const PACKED = {
  name: "@x/a",
  unpackedSize: 100,
  files: [{ path: "package.json" }, { path: "dist/index.js" }, { path: "dist/index.d.ts" }],
};

function judge(changes: Partial<typeof PACKED>): readonly string[] {
  return judgeFiles({ ...PACKED, ...changes }, { "@x/a": 100 });
}

describe("what a package publishes", () => {
  it("may be its build, up to its ceiling", () => {
    expect(judge({})).toEqual([]);
  });

  it("may not be larger than its ceiling, nor have none", () => {
    expect(judge({ unpackedSize: 101 })).toEqual([expect.stringContaining("101 bytes; 100 are the most")]);
    expect(judge({ name: "@x/b" })).toEqual([expect.stringContaining("no byte ceiling")]);
  });

  it.each(["dist/a.test.js", "src/a.ts", "dist/.tsbuildinfo", "dist/fixtures/a.json", ".env", "dist/dev.sqlite"])(
    "may not hold %s",
    (path) => {
      expect(judge({ files: [...PACKED.files, { path }] })).toEqual([expect.stringContaining(`would publish ${path}`)]);
    },
  );

  it("may not lack the build", () => {
    expect(judge({ files: [{ path: "package.json" }] })).toEqual([expect.stringContaining("nothing of dist/")]);
  });
});
