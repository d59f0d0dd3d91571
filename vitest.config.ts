import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "tests/system/**/*.test.ts",
      "tooling/**/*.test.ts",
      "conformance/**/*.test.ts",
      "plugins/**/*.test.ts",
      "examples/*/src/**/*.test.ts",
    ],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // On two cores vitest would start one worker; most tests wait more than they compute.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
