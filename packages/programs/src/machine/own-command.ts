import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { shownCommand } from "@wakeshift/protocol";

/** Set by the launcher, and for the bridge by whoever starts it: how the set-up of this machine was called. */
export const COMMAND_VARIABLE = "WAKESHIFT_COMMAND";

/**
 * A command of Wakeshift as it is shown to be run: called as this run was, and quoted like every command we show.
 *
 * @param words - the command and its options: `["setup", "codex"]`
 * @param operands - what comes from outside and is the command's subject, such as an origin or an id
 */
export function ownCommand(words: readonly string[], operands: readonly string[] = []): string {
  return `${calledAs()} ${shownCommand(words, operands)}`;
}

/** How this run of Wakeshift was called, as its user types it again. `npx wakeshift` if that can't be determined. */
export function calledAs(env: NodeJS.ProcessEnv = process.env, script: string = process.argv[1] ?? ""): string {
  const told = env[COMMAND_VARIABLE];
  if (told !== undefined && told !== "") return told;
  if (!["wakeshift", "wakeshift.js"].includes(basename(script))) return "npx wakeshift";
  if (env["npm_command"] !== undefined || env["npm_config_user_agent"] !== undefined)
    return `${packageRunner(env["npm_config_user_agent"] ?? "")} wakeshift`;
  if (isOnPath(env["PATH"] ?? env["Path"] ?? "", script)) return "wakeshift";
  return shownCommand(["node", script]);
}

function packageRunner(userAgent: string): string {
  if (userAgent.startsWith("pnpm/")) return "pnpm dlx";
  if (userAgent.startsWith("yarn/")) return "yarn dlx";
  return userAgent.startsWith("bun/") ? "bunx" : "npx";
}

/** On Windows, what is on the PATH is a script beside the packages that calls ours. */
function isOnPath(path: string, script: string): boolean {
  const file = realPath(script);
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .some((folder) =>
      process.platform === "win32"
        ? existsSync(join(folder, "wakeshift.cmd")) && script.startsWith(folder)
        : file !== undefined && realPath(join(folder, "wakeshift")) === file,
    );
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
