import { homedir } from "node:os";
import { join, resolve } from "node:path";

/**
 * `$WAKESHIFT_HOME`, else the platform's usual folder for a program's state. Always absolute: the bridge's processes run in
 * other folders than their starter, and a relative path would mean another home in each of them.
 */
export function resolveHomeFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const set = env["WAKESHIFT_HOME"];
  if (set !== undefined && set !== "") return resolve(set);
  const home = homedir();
  if (platform === "win32") return join(env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "Wakeshift");
  if (platform === "darwin") return join(home, "Library", "Application Support", "Wakeshift");
  const state = env["XDG_STATE_HOME"];
  return join(state !== undefined && state !== "" ? state : join(home, ".local", "state"), "wakeshift");
}
