import { join } from "node:path";
import type { AppServerOptions } from "./app-server.ts";
import { withAppServer } from "./hook-trust.ts";

/** Codex's names of the feature that runs hooks, the newest first. */
const FEATURES = ["hooks", "codex_hooks"] as const;

interface Layer {
  readonly type?: unknown;
  readonly file?: unknown;
  readonly dotCodexFolder?: unknown;
}

interface ConfigAnswer {
  readonly config?: { readonly features?: Readonly<Record<string, unknown>> };
  readonly origins?: Readonly<Record<string, { readonly name?: Layer }>>;
}

interface RequirementsAnswer {
  readonly requirements?: Readonly<Record<string, unknown>> | null;
}

/** Why Codex runs no hook in `folder` although they are set up: which file says so, and the fix. `undefined`: no setting is the reason. */
export async function whyHooksAreOff(
  options: AppServerOptions,
  folder: string,
): Promise<{ readonly detail: string; readonly fix: string } | undefined> {
  return withAppServer(options, async (server) => {
    const answer = (await server.call("config/read", { includeLayers: false, cwd: folder })) as ConfigAnswer | null;
    for (const feature of FEATURES) {
      if (answer?.config?.features?.[feature] !== false) continue;
      const file = fileOf(answer.origins?.[`features.${feature}`]?.name);
      return { detail: `${file} turns all hooks off (${feature} = false under [features])`, fix: `set ${feature} = true in ${file}` };
    }
    const required = (await server.call("configRequirements/read", {}).catch(() => null)) as RequirementsAnswer | null;
    const isManagedOnly = ["allowManagedHooksOnly", "allow_managed_hooks_only"].some((name) => required?.requirements?.[name] === true);
    if (!isManagedOnly) return undefined;
    return {
      detail: "your organization's requirements.toml lets only its own hooks run (allow_managed_hooks_only)",
      fix: "ask whoever manages Codex's requirements.toml to add Wakeshift's hooks to it, or to allow users' own",
    };
  });
}

function fileOf(layer: Layer | undefined): string {
  if (typeof layer?.dotCodexFolder === "string") return join(layer.dotCodexFolder, "config.toml");
  return typeof layer?.file === "string" ? layer.file : "Codex's configuration";
}
