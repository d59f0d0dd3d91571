import { join } from "node:path";
import type { SettingsContext } from "../../program/program-setup.ts";
import { configFolder } from "../session/session-registry.ts";

/** The user's settings of Claude Code. */
export function settingsPath(context: Pick<SettingsContext, "env" | "userHome">): string {
  return join(configFolder(context.env, context.userHome), "settings.json");
}
