import { join } from "node:path";
import type { SettingsContext } from "../program/program-setup.ts";

/** The plugin's file name among the user's plugins. */
const FILE = "wakeshift.js";

/** opencode's own folder of settings: `$XDG_CONFIG_HOME/opencode`, else `~/.config/opencode`, on every system. */
export function opencodeFolder(context: Pick<SettingsContext, "env" | "userHome">): string {
  const set = context.env["XDG_CONFIG_HOME"];
  return join(set !== undefined && set !== "" ? set : join(context.userHome, ".config"), "opencode");
}

/** Where the plugin lies so that every project loads it. */
export function pluginPath(context: Pick<SettingsContext, "env" | "userHome">): string {
  return join(opencodeFolder(context), "plugins", FILE);
}

/** The shipped plugin, as it was compiled. */
export function shippedPlugin(context: Pick<SettingsContext, "pluginFolder">): string {
  return join(context.pluginFolder, "dist", FILE);
}
