import { describe, expect, it } from "vitest";
import { judgeFiles } from "./judge-files.mjs";

const PACKED = {
  name: "@x/a",
  unpackedSize: 100,
  files: [{ path: "package.json" }, { path: "LICENSE" }, { path: "README.md" }, { path: "dist/index.js" }, { path: "dist/index.d.ts" }],
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

  it.each(["dist/a.test.js", "src/a.ts", "dist/.tsbuildinfo", "dist/fixtures/a.json", ".env", "dist/dev.sqlite", "dist/index.js.map"])(
    "may not hold %s",
    (path) => {
      expect(judge({ files: [...PACKED.files, { path }] })).toEqual([expect.stringContaining(`would publish ${path}`)]);
    },
  );

  it("may not lack the build", () => {
    const files = PACKED.files.filter(({ path }) => !path.startsWith("dist/"));
    expect(judge({ files })).toEqual([expect.stringContaining("nothing of dist/")]);
  });

  it.each(["LICENSE", "README.md"])("may not lack its %s", (name) => {
    expect(judge({ files: PACKED.files.filter(({ path }) => path !== name) })).toEqual([`has no ${name}. Put one into its folder.`]);
  });
});
