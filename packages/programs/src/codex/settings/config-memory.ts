import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { replaceFileNow } from "../../machine/replace-file.ts";
import type { SettingsContext } from "../../program/program-setup.ts";

/**
 * What config.toml held before and after Codex wrote its trust into it. Codex keeps comments and order when it takes
 * trust out again, but not every last newline; a file that nobody touched since gets its own bytes back instead.
 */
export interface ConfigMemory {
  readonly path: string;
  /** `undefined`: there was no file. */
  readonly before?: string;
  readonly after: string;
}

export function configMemoryPath(context: SettingsContext): string {
  return join(context.wakeshiftHome, "codex-config.json");
}

export function readConfigMemory(context: SettingsContext, path: string): ConfigMemory | undefined {
  const text = context.read(configMemoryPath(context));
  if (text === undefined) return undefined;
  try {
    const memory = JSON.parse(text) as ConfigMemory;
    return memory.path === path && typeof memory.after === "string" ? memory : undefined;
  } catch {
    return undefined;
  }
}

export function rememberConfig(context: SettingsContext, memory: ConfigMemory): void {
  mkdirSync(context.wakeshiftHome, { recursive: true, mode: 0o700 });
  replaceFileNow(configMemoryPath(context), `${JSON.stringify(memory)}\n`);
}
