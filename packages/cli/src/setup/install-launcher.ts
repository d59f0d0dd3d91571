import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SettingsContext } from "@wakeshift/programs/setup";
import { calledAs } from "@wakeshift/programs/machine";
import { VERSION } from "../version.ts";
import { lastingMain, removeOlderCopies } from "./lasting-installation.ts";
import { writeLauncher } from "./launcher.ts";

/**
 * Points this machine's launcher to the version that runs now.
 *
 * @returns what that repaired, `undefined` if nothing was broken.
 * @throws WakeshiftError `bad_request` if this version is where it can't stay.
 */
export function installLauncher({ wakeshiftHome, platform }: SettingsContext): string | undefined {
  const main = lastingMain(fileURLToPath(new URL("../main.js", import.meta.url)), VERSION, wakeshiftHome);
  const target = { node: process.execPath, main, command: calledAs() };
  const repaired = writeLauncher(target, wakeshiftHome, platform, existsSync);
  removeOlderCopies(VERSION, wakeshiftHome);
  return repaired;
}
