import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CliWorld } from "./cli-world.ts";

const SCRIPTED = fileURLToPath(new URL("./scripted-codex.mjs", import.meta.url));

/** A codex command on the PATH that does what its script says, and the hooks file of that Codex. */
export function scriptedCodex(world: CliWorld): {
  readonly hooksJson: string;
  env(script: string): Readonly<Record<string, string>>;
} {
  const folder = join(world.home, "bin");
  mkdirSync(folder, { recursive: true });
  const codex = join(folder, "codex");
  copyFileSync(SCRIPTED, codex);
  chmodSync(codex, 0o755);
  const home = join(world.home, ".codex");
  mkdirSync(home, { recursive: true });
  return {
    hooksJson: join(home, "hooks.json"),
    env: (script) => ({ PATH: `${folder}:${process.env["PATH"] ?? ""}`, CODEX_SCRIPT: script }),
  };
}
