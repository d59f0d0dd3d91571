import { WakeshiftError } from "@wakeshift/protocol";
import { openAppServer, type AppServer, type AppServerOptions } from "./app-server.ts";

/** A hook as Codex lists it. */
export interface ListedHook {
  /** File, event and position; what trust is stored under. */
  readonly key: string;
  readonly command: string;
  readonly eventName: string;
  readonly sourcePath: string;
  readonly enabled: boolean;
  readonly currentHash: string;
  readonly trustStatus: "managed" | "untrusted" | "trusted" | "modified";
}

export interface HookList {
  readonly hooks: readonly ListedHook[];
  /** What Codex has to say about the files, such as one that it can't read. */
  readonly warnings: readonly string[];
}

/** Asks Codex which hooks it knows and which it trusts, in `folder`: a project's settings may differ. */
export async function listHooks(options: AppServerOptions, folder: string = options.cwd): Promise<HookList> {
  return withAppServer(options, (server) => ask(server, folder));
}

/**
 * Trusts the hooks that `wanted` picks, as the user's yes to exactly what was shown: the hash that Codex computed is
 * stored through Codex's own interface.
 *
 * @throws WakeshiftError `bad_response` where Codex doesn't list them, or doesn't trust them afterwards.
 */
export async function trustHooks(options: AppServerOptions, wanted: (hook: ListedHook) => boolean, count: number): Promise<void> {
  await withAppServer(options, async (server) => {
    const before = await ask(server, options.cwd);
    const hooks = before.hooks.filter(wanted);
    if (hooks.length < count) {
      throw new WakeshiftError(
        "bad_response",
        `Codex lists ${String(hooks.length)} of ${String(count)} Wakeshift hooks. ${before.warnings.join(" ") || "See /hooks in Codex."}`,
      );
    }
    const edits = hooks.filter((hook) => !isTrusted(hook)).map((hook) => trustEdit(hook.key, hook.currentHash));
    if (edits.length > 0) await server.call("config/batchWrite", { edits, reloadUserConfig: true });
    const after = await ask(server, options.cwd);
    if (!after.hooks.filter(wanted).every(isTrusted)) {
      throw new WakeshiftError("bad_response", "Codex does not list them as trusted after it was told to trust them.");
    }
  });
}

/**
 * Forgets the trust of our hooks, runs `takeOut` (which takes them out of their file, where that is still to be done),
 * and mends what that moved: trust is bound to a hook's position, so what the user trusted behind ours stays trusted,
 * under its new key and with the same hash.
 */
export async function forgetTrust(
  options: AppServerOptions,
  before: readonly ListedHook[],
  ours: (hook: ListedHook) => boolean,
  takeOut: () => void,
): Promise<void> {
  await withAppServer(options, async (server) => {
    const write = async (edits: readonly unknown[]): Promise<void> => {
      if (edits.length > 0) await server.call("config/batchWrite", { edits, reloadUserConfig: true });
    };
    await write(before.filter(ours).map((hook) => forgetEdit(hook.key)));
    takeOut();
    const after = (await ask(server, options.cwd)).hooks;
    const kept = new Set(after.map((hook) => hook.key));
    const trusted = before.filter((hook) => hook.trustStatus === "trusted" && !ours(hook));
    const known = new Set(trusted.map(contentOf));
    const moved = after.filter((hook) => !isTrusted(hook) && known.has(contentOf(hook)));
    await write([
      ...trusted.filter((hook) => !kept.has(hook.key)).map((hook) => forgetEdit(hook.key)),
      ...moved.map((hook) => trustEdit(hook.key, hook.currentHash)),
    ]);
  });
}

function contentOf(hook: ListedHook): string {
  return `${hook.sourcePath} ${hook.eventName} ${hook.currentHash}`;
}

export function isTrusted(hook: ListedHook): boolean {
  return hook.trustStatus === "trusted" || hook.trustStatus === "managed";
}

function trustEdit(key: string, hash: string): unknown {
  return { keyPath: `hooks.state.${JSON.stringify(key)}.trusted_hash`, value: hash, mergeStrategy: "upsert" };
}

function forgetEdit(key: string): unknown {
  return { keyPath: `hooks.state.${JSON.stringify(key)}`, value: null, mergeStrategy: "replace" };
}

async function ask(server: AppServer, cwd: string): Promise<HookList> {
  const answer = (await server.call("hooks/list", { cwds: [cwd] })) as {
    readonly data?: readonly { readonly hooks?: readonly ListedHook[]; readonly warnings?: readonly string[] }[];
  } | null;
  const entry = answer?.data?.[0];
  return { hooks: (entry?.hooks ?? []).filter((hook) => typeof hook.command === "string"), warnings: entry?.warnings ?? [] };
}

/** Runs `work` with an app-server of its own. */
export async function withAppServer<T>(options: AppServerOptions, work: (server: AppServer) => Promise<T>): Promise<T> {
  const server = await openAppServer(options);
  try {
    return await work(server);
  } finally {
    server.close();
  }
}
