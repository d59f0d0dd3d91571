import { describeRun } from "../program/describe-run.ts";
import type { SettingsContext } from "../program/program-setup.ts";
import type { RunResult } from "../program/runner.ts";

export interface FoundOpencode {
  /** `undefined`: not found. */
  readonly version: string | undefined;
  /** The command is there, and doesn't work. */
  readonly fails?: boolean;
  readonly detail: string;
}

/** Asks the `opencode` on the PATH for its version. */
export async function findOpencode(context: Pick<SettingsContext, "run" | "env">): Promise<FoundOpencode> {
  const result = await runOpencode(context, ["--version"]);
  const version = /^v?(\d+\.\d+\.\d\S*)/m.exec(result.stdout.trim())?.[1];
  if (result.exitCode === 0 && version !== undefined) return { version, detail: `opencode ${version}` };
  return { version: undefined, fails: result.missing !== true, detail: describeRun("opencode", ["--version"], result) };
}

/** Runs opencode's own command, without its look for updates, and without waiting long for a package registry that is away. */
export function runOpencode(context: Pick<SettingsContext, "run" | "env">, args: readonly string[]): Promise<RunResult> {
  return context.run.run("opencode", args, {
    env: { ...context.env, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", npm_config_fetch_retries: "0" },
    timeoutMs: 40_000,
  });
}
