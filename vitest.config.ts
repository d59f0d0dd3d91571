import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** On two cores vitest would start one worker; most tests wait more than they compute. */
const maxWorkers = Math.max(2, availableParallelism() - 1);

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers,
    projects: [
      {
        extends: true,
        // Nothing in these is kept by a process, so one serves many files: half of what a short file takes is its start.
        test: {
          name: "packages",
          include: ["protocol", "core", "programs", "bridge", "cli"].map((name) => `packages/${name}/src/**/*.test.ts`),
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          include: [
            "packages/sdk/src/**/*.test.ts",
            "tests/system/**/*.test.ts",
            "tooling/**/*.test.ts",
            "conformance/**/*.test.ts",
            "plugins/**/*.test.ts",
            "examples/*/src/**/*.test.ts",
          ],
        },
      },
    ],
  },
});
