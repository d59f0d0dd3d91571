import { claudeCode } from "./claude-code/claude-code.ts";
import { codex } from "./codex/codex.ts";
import { opencode } from "./opencode/opencode.ts";
import type { Program } from "./program/program.ts";

/** Every agent program this version knows, in the order they are shown. */
export const PROGRAM_REGISTRY: readonly Program[] = [codex, claudeCode, opencode];
