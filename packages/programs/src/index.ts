// For the bridge: the programs whose conversations it wakes.
export { PROGRAM_REGISTRY } from "./registry.ts";
export { fileReader } from "./program/file-reader.ts";

// For integrators: the seam of an agent program.
export type {
  ConversationState,
  Delivery,
  FileReader,
  HandedWake,
  HookAnswer,
  HookPlan,
  HookReport,
  Lifecycle,
  Program,
  ToolResult,
} from "./program/program.ts";
export type { Runner, RunOptions, RunResult } from "./program/runner.ts";
