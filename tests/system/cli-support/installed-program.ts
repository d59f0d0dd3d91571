import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CliWorld } from "./cli-world.ts";

/** A command of that name on the PATH, enough for set-up to find the program; answers the environment that has it there. */
export function installProgram(
  world: CliWorld,
  command: string,
  version = command === "opencode" ? "1.18.33" : "9.9.9",
): Readonly<Record<string, string>> {
  const folder = join(world.home, "bin");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, command);
  writeFileSync(path, `#!/bin/sh\necho ${version}\n`);
  chmodSync(path, 0o755);
  return { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
}
