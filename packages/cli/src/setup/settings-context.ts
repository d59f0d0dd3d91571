import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { WakeshiftError } from "@wakeshift/protocol";
import { commandRunner } from "@wakeshift/bridge";
import type { Runner, RunResult } from "@wakeshift/programs";
import type { SettingsContext } from "@wakeshift/programs/setup";
import { resolveHomeFolder } from "@wakeshift/programs/machine";
import type { Output } from "../output.ts";
import { tellWaits, type Waiting } from "../show/tell-waits.ts";
import { launcherPath } from "./launcher.ts";
import { pluginFolder } from "./plugin-folder.ts";

/** This machine, as a program's settings and checks see it. What takes long meanwhile is told to the person. */
export function createSettingsContext(program: string, output: Output): SettingsContext {
  const waiting = tellWaits(program, output);
  const wakeshiftHome = resolveHomeFolder(process.env);
  return {
    env: process.env,
    userHome: homedir(),
    folder: process.cwd(),
    wakeshiftHome,
    launcher: launcherPath(wakeshiftHome, process.platform),
    pluginFolder: pluginFolder(program),
    platform: process.platform,
    read: readText,
    run: createToldRunner(commandRunner, waiting),
    waiting,
  };
}

const RUN_MS = 30_000;

/** Tells of each command that is waited for. A program is asked for its version once: finding it and judging it both need that. */
export function createToldRunner(runner: Runner, waiting: Waiting): Runner {
  const versions = new Map<string, Promise<RunResult>>();
  const run: Runner["run"] = async (command, args, options) => {
    const over = waiting([command, ...args].join(" "), options?.timeoutMs ?? RUN_MS);
    try {
      return await runner.run(command, args, options);
    } finally {
      over();
    }
  };
  return {
    run: (command, args, options) => {
      if (args.join(" ") !== "--version") return run(command, args, options);
      const asked = versions.get(command) ?? run(command, args, options);
      versions.set(command, asked);
      return asked;
    },
  };
}

/**
 * A settings file's text, its byte-order mark included.
 *
 * @throws WakeshiftError `bad_request` for a file that isn't UTF-8: written back, it would lose what can't be read.
 */
function readText(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new WakeshiftError(
      "bad_request",
      `${path} isn't UTF-8 text, so it was left as it is. Save it as UTF-8 and run the command again.`,
      {
        cause: error,
      },
    );
  }
}
