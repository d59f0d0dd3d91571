import { defineConfig } from "vitest/config";

/** The tests that run real agent programs: `npm run test:agents`, which installs the programs first. */
export default defineConfig({
  test: {
    include: ["tests/agents/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Each world starts several processes; more at once make the programs miss their own time limits.
    maxWorkers: 2,
  },
});
