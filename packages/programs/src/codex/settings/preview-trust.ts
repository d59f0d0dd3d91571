import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { WakeshiftError } from "@wakeshift/protocol";
import { parse, stringify } from "smol-toml";
import type { FileChange, SettingsContext } from "../../program/program-setup.ts";
import { isOurs, type CodexPlace } from "./codex-place.ts";
import { listHooks } from "./hook-trust.ts";

/**
 * What trusting our hooks adds to config.toml, once `files` are written. The hash is Codex's own to compute: it is asked in an
 * empty folder that has the same hooks, since it doesn't depend on where they stand. Nothing of the user's is read or changed.
 *
 * @throws WakeshiftError where Codex can't be asked.
 */
export async function previewTrust(
  place: CodexPlace,
  context: SettingsContext,
  files: readonly FileChange[],
): Promise<readonly FileChange[]> {
  if (place.appServer === undefined) throw new WakeshiftError("bad_request", "there is no codex on the PATH");
  const textOf = (path: string): string | undefined => files.find((change) => change.path === path)?.after ?? context.read(path);
  const before = textOf(place.configToml);
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "wakeshift-codex-")));
  try {
    const hooksJson = textOf(place.hooksJson);
    if (hooksJson !== undefined) writeFileSync(join(scratch, basename(place.hooksJson)), hooksJson);
    if (before !== undefined) writeFileSync(join(scratch, basename(place.configToml)), stringify({ hooks: hooksOf(before) }));
    const { hooks } = await listHooks({ ...place.appServer, env: { ...place.appServer.env, CODEX_HOME: scratch }, cwd: scratch });
    const home = existsSync(place.home) ? realpathSync(place.home) : place.home;
    const trusted = before === undefined ? {} : stateOf(before);
    const tables = hooks
      .filter(isOurs(place))
      .map(({ key, currentHash }) => ({ key: key.replace(scratch, home), hash: currentHash }))
      .filter(({ key, hash }) => trusted[key]?.trusted_hash !== hash)
      .map(({ key, hash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(hash)}\n`);
    if (tables.length === 0) return [];
    return [{ path: place.configToml, before, after: [...(before === undefined || before === "" ? [] : [before]), ...tables].join("\n") }];
  } finally {
    // Its app-server has been told to end, and may still be writing.
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

interface HooksTable {
  readonly state?: Readonly<Record<string, { readonly trusted_hash?: unknown } | undefined>>;
}

function hooksTable(text: string): HooksTable {
  const { hooks } = parse(text);
  return typeof hooks === "object" && !Array.isArray(hooks) ? (hooks as HooksTable) : {};
}

const stateOf = (text: string): NonNullable<HooksTable["state"]> => hooksTable(text).state ?? {};

/** The hooks themselves, without what Codex keeps about them. */
function hooksOf(text: string): object {
  const { state: _, ...hooks } = hooksTable(text);
  return hooks;
}
