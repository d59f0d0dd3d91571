import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { commandRunner, resolveHomeFolder, type SettingsContext } from "@wakeshift/bridge";
import { launcherPath } from "./launcher.ts";
import { pluginFolder } from "./plugin-folder.ts";

/** This machine, as a program's settings and checks see it. */
export function createSettingsContext(program: string): SettingsContext {
  const wakeshiftHome = resolveHomeFolder(process.env);
  return {
    env: process.env,
    userHome: homedir(),
    wakeshiftHome,
    launcher: launcherPath(wakeshiftHome, process.platform),
    pluginFolder: pluginFolder(program),
    platform: process.platform,
    read: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    run: commandRunner,
  };
}
