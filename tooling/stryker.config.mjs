// How `npm run test:mutation` plants faults. WAKESHIFT_MUTATION_FOLDER: into which sources.

export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "vitest.mutation.config.ts", related: false },
  mutate: [`${process.env.WAKESHIFT_MUTATION_FOLDER}/**/*.ts`, "!**/*.test.ts"],
  // A fault in a table that is made while loading needs all tests anew: too dear for what it shows.
  ignoreStatic: true,
  concurrency: 1,
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 20,
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  tempDirName: "tmp/stryker",
};
