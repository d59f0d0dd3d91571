// For authors' tests: a core in the process, and what it shows.
export { testingCore } from "./testing-core.ts";
export type { TestingCore, TestingCoreOptions, TestSubscription, TestWake } from "./testing-core.ts";
export type { CoreFailure } from "./core-failure.ts";
