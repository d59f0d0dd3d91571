import { defineConfig } from "vitest/config";

/** The tests that put a real nginx in front of the core: `npm run test:proxy`. nginx must be on the PATH. */
export default defineConfig({
  test: { include: ["tests/proxy/**/*.test.ts"], testTimeout: 60_000, pool: "forks" },
});
