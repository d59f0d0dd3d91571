import { defineConfig } from "vitest/config";

/** The code blocks of documents that aren't in this repository: `WAKESHIFT_DOCUMENTS=folder npm run test:documents`. */
export default defineConfig({
  test: { include: ["tests/documents/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000, pool: "forks" },
});
