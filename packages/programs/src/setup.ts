import type { ProgramName } from "@wakeshift/protocol";
import { claudeCodeChecks } from "./claude-code/check.ts";
import { claudeCodeSettings } from "./claude-code/install.ts";
import { codexChecks } from "./codex/check.ts";
import { codexSettings } from "./codex/install.ts";
import { opencodeChecks } from "./opencode/check.ts";
import { opencodeSettings } from "./opencode/install.ts";
import type { ProgramChecks, ProgramSetup, SettingsMaker } from "./program/program-setup.ts";

/** What the commands do with every agent program this version knows, in the order they are shown. */
export const PROGRAM_SETUPS: readonly ProgramSetup[] = [
  programSetup("codex", codexSettings, codexChecks),
  programSetup("claude-code", claudeCodeSettings, claudeCodeChecks),
  programSetup("opencode", opencodeSettings, opencodeChecks),
];

function programSetup(name: ProgramName, settings: SettingsMaker, checks: ProgramChecks): ProgramSetup {
  return { name, ...settings, ...checks };
}

// For integrators: the seam of a program's settings.
export type {
  Check,
  FileChange,
  ProgramChecks,
  ProgramSetup,
  SettingsContext,
  SettingsMaker,
  SettingsPlan,
  SettingsStep,
} from "./program/program-setup.ts";
