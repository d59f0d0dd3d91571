// For the bridge and the commands: the programs there are.
export { PROGRAM_REGISTRY } from "./registry.ts";
export { fileReader } from "./program/file-reader.ts";

// For integrators: the seam of an agent program.
export type {
  Check,
  ConversationState,
  Delivery,
  FileChange,
  FileReader,
  HandedWake,
  HookAnswer,
  HookPlan,
  HookReport,
  Lifecycle,
  Program,
  Runner,
  RunOptions,
  RunResult,
  SettingsContext,
  SettingsMaker,
  SettingsPlan,
  SettingsStep,
  ToolResult,
} from "./program/program.ts";
