import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`packages/${path}`, import.meta.url));
const CORE = "access,deciding,app-api-shapes,host-guard,assertions,publishing";
const SDK = "subscribing,rollback,asserted,built-ins,tools,lists,foreign,captured,strict-author,bad-lists,schemas,access";
/** The tests that can notice a fault planted in a package: those in this process, and quick enough to run again for each fault. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  protocol: ["packages/{protocol,sdk}/src/**/*.test.ts", "packages/core/src/engine/**/*.test.ts"],
  core: ["packages/core/src/{engine,http}/**/*.test.ts", `tests/system/core-{${CORE}}.test.ts`],
  sdk: ["packages/sdk/src/**/*.test.ts", `tests/system/sdk-{${SDK}}.test.ts`],
};

/** Used by `npm run test:mutation` alone. Packages resolve to their sources, which is where the faults are. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@wakeshift\/(protocol|core|bridge|sdk)$/, replacement: source("$1/src/index.ts") },
      { find: /^@wakeshift\/sdk\/(testing|tools)$/, replacement: source("sdk/src/$1/index.ts") },
    ],
  },
  test: {
    include: [...(TESTS[process.env["WAKESHIFT_MUTATION_PACKAGE"] ?? ""] ?? [])],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "threads",
    maxWorkers: 1,
  },
});
