import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Files that take a minute and longer, mostly waiting for a program's own clock. One of them left for the end runs alone. */
const LONGEST = [
  "claude-code-closed",
  "opencode-closed",
  "claude-code-unattended",
  "claude-code",
  "codex-wake",
  "codex-exec",
  "opencode",
  "opencode-two-processes",
  "codex-closed",
].map((name) => `${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (file: TestSpecification): number => {
      const found = LONGEST.indexOf(basename(file.moduleId));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/** The tests that run real agent programs: `npm run test:agents`, which installs the programs first. */
export default defineConfig({
  test: {
    include: ["tests/agents/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Each world starts several processes; more at once make the programs miss their own time limits.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
