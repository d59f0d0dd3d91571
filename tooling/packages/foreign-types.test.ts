import { expect, it } from "vitest";
import { foreignPackages } from "./foreign-types.mjs";

it("names whose types were read beside our own", () => {
  const own = [
    "/app/node_modules/typescript/lib/lib.es2023.d.ts",
    "/tmp/x/node_modules/@wakeshift/sdk/dist/index.d.ts",
    "/tmp/x/node_modules/@wakeshift/protocol/dist/index.d.ts",
    "/app/node_modules/@types/node/index.d.ts",
    "/tmp/x/entry.ts",
  ];
  expect(foreignPackages(own.join("\n"))).toEqual([]);
  const foreign = ["/app/node_modules/zod/v4/classic/schemas.d.ts", "/app/node_modules/@modelcontextprotocol/server/dist/index.d.mts"];
  expect(foreignPackages([...own, ...foreign, ...foreign].join("\n"))).toEqual(["@modelcontextprotocol/server", "zod"]);
});
