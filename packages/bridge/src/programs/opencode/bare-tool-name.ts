import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";

/**
 * The MCP server's own name of a tool that opencode calls `<server>_<tool>`, both with every character outside
 * `[A-Za-z0-9_-]` replaced by `_`. Since that loses the original, the names that the result itself claims are the
 * candidates, and one that opencode's name can't stand for is not taken.
 *
 * @param called opencode's name, such as `crawler_start_crawl`.
 * @param servers the names of the MCP servers in opencode's settings; empty where they aren't known.
 * @param meta the result's `_meta`.
 */
export function bareToolName(called: string, servers: readonly string[], meta: unknown): string {
  const bare = possibleNames(called, servers);
  const claimed = claimedNames(meta).find(
    (name) => bare.has(asOpencodeSpells(name)) || (servers.length === 0 && called.endsWith(`_${asOpencodeSpells(name)}`)),
  );
  return claimed ?? [...bare][0] ?? called;
}

/** What is left of the name without each server's part it may begin with, the longest server first. */
function possibleNames(called: string, servers: readonly string[]): Set<string> {
  const heads = servers
    .map((server) => `${asOpencodeSpells(server)}_`)
    .filter((head) => called.startsWith(head) && called.length > head.length);
  heads.sort((one, other) => other.length - one.length);
  return new Set(heads.map((head) => called.slice(head.length)));
}

function claimedNames(meta: unknown): readonly string[] {
  if (typeof meta !== "object" || meta === null) return [];
  const entries = (meta as Readonly<Record<string, unknown>>)[SUBSCRIPTION_META_KEY];
  const listed: readonly unknown[] = Array.isArray(entries) ? entries : [entries];
  return listed.flatMap((entry) => {
    const tool = typeof entry === "object" && entry !== null ? (entry as Readonly<Record<string, unknown>>)["tool"] : undefined;
    return typeof tool === "string" ? [tool] : [];
  });
}

function asOpencodeSpells(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_");
}
