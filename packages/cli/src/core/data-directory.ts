import { join, resolve } from "node:path";
import { resolveHomeFolder } from "@wakeshift/programs/machine";

/** The core's data directory: `--data`, else `core` in Wakeshift's folder of this user. */
export function dataDirectory(option: string | undefined, env: NodeJS.ProcessEnv): string {
  return option === undefined ? join(resolveHomeFolder(env), "core") : resolve(option);
}
