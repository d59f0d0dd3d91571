import type { ProgramName } from "@wakeshift/protocol";
import { claudeCode } from "./claude-code/claude-code.ts";
import { codex } from "./codex/codex.ts";
import { opencode } from "./opencode/opencode.ts";
import type { Program } from "./program.ts";

/** Every agent program this version knows, in the order they are shown. */
export const PROGRAM_REGISTRY: readonly Program[] = [codex, claudeCode, opencode];

export function findProgram(name: ProgramName | string): Program | undefined {
  return PROGRAM_REGISTRY.find((program) => program.name === name);
}
