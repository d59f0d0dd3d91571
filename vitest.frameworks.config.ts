import { defineConfig } from "vitest/config";

/** The tests that need real frameworks and generators: `npm run test:frameworks`, which installs them first. */
export default defineConfig({
  test: { include: ["tests/frameworks/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 180_000, pool: "forks", maxWorkers: 2 },
});
