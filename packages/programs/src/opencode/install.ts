import { WakeshiftError } from "@wakeshift/protocol";
import { resolveHomeFolder } from "../machine/home-folder.ts";
import type { FileChange, SettingsContext, SettingsMaker, SettingsPlan } from "../program/program-setup.ts";
import { findOpencode } from "./find-opencode.ts";
import { pluginPath, shippedPlugin } from "./plugin-place.ts";
import { isOurPlugin, pluginText } from "./plugin-text.ts";

const RESTART = "Start opencode again: it loads plugins only then.";

/** Puts one file among opencode's plugins, and takes it away again. No other file is touched. */
export const opencodeSettings: SettingsMaker = {
  find: async (context) => {
    const found = await findOpencode(context);
    return found.version === undefined
      ? { found: false, fails: found.fails ?? false, detail: found.detail }
      : { found: true, detail: `opencode ${found.version}` };
  },

  install: (context) => settle(() => install(context)),

  remove: (context, applied) => settle(() => remove(context, applied)),
};

async function settle(make: () => SettingsPlan): Promise<SettingsPlan> {
  return make();
}

function install(context: SettingsContext): SettingsPlan {
  const path = pluginPath(context);
  const before = context.read(path);
  if (before !== undefined && !isOurPlugin(before)) {
    throw new WakeshiftError("bad_request", `${path} is not Wakeshift's; it was left alone. Rename it, then run the command again.`);
  }
  const after = wantedText(context);
  const purpose = `a plugin that opencode loads when it starts; it calls ${context.launcher}`;
  return before === after ? plan([], []) : plan([{ path, before, after }], [RESTART], purpose);
}

function remove(context: SettingsContext, applied: readonly FileChange[]): SettingsPlan {
  const places = new Set([...applied.map((change) => change.path), pluginPath(context)]);
  const files: FileChange[] = [];
  for (const path of places) {
    const before = context.read(path);
    if (before === undefined || !isOurPlugin(before)) continue;
    files.push({ path, before, after: undefined });
  }
  return plan(files, files.length === 0 ? [] : [RESTART]);
}

function plan(files: readonly FileChange[], notes: readonly string[], purpose = ""): SettingsPlan {
  return { program: "opencode", purpose, files, steps: [], notes };
}

/** The text that belongs there. */
export function wantedText(context: SettingsContext): string {
  const path = shippedPlugin(context);
  const shipped = context.read(path);
  if (shipped === undefined)
    throw new WakeshiftError("internal", `${path} is missing: this installation of Wakeshift is not whole. Install it again.`);
  const { WAKESHIFT_HOME: _, ...env } = context.env;
  return pluginText(shipped, resolveHomeFolder(env, context.platform) === context.wakeshiftHome ? undefined : context.wakeshiftHome);
}
