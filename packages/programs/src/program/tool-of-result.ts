import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";

/** A prefix by which a program, or a gateway in between, tells apart tools of many servers ends in one of these. */
const PREFIX_END = /[_\-./:]$/;

/**
 * The MCP tool whose result this is, by its server's own name. A program calls it by another one: behind the server's name, and
 * behind what gateways put there, with characters its model can't spell replaced by `_`. So the names that the result's entries
 * claim are the candidates, and one counts if what the program called is that name, or that name behind a prefix.
 *
 * @param called - the program's name of the tool, such as `mcp__gateway__crawler_watch_crawl`
 * @param meta - the result's `_meta`
 * @returns the claimed name that fits, else `called`: then its entries are refused, and shown with both names.
 */
export function toolOfResult(called: string, meta: unknown): string {
  return claimedTools(meta).find((tool) => spellings(tool).some((spelling) => isCalled(called, spelling))) ?? called;
}

function isCalled(called: string, spelling: string): boolean {
  return spelling !== "" && called.endsWith(spelling) && (called === spelling || PREFIX_END.test(called.slice(0, -spelling.length)));
}

/** As its server spells it, as Claude Code and opencode do, as Codex does. */
function spellings(tool: string): readonly string[] {
  return [tool, tool.replaceAll(/[^A-Za-z0-9_-]/g, "_"), tool.replaceAll(/[^A-Za-z0-9_]/g, "_")];
}

function claimedTools(meta: unknown): readonly string[] {
  if (typeof meta !== "object" || meta === null || !Object.hasOwn(meta, SUBSCRIPTION_META_KEY)) return [];
  const entries = (meta as Readonly<Record<string, unknown>>)[SUBSCRIPTION_META_KEY];
  const listed: readonly unknown[] = Array.isArray(entries) ? entries.slice(0, MOST_ENTRIES) : [entries];
  return listed.flatMap((entry) => {
    const tool = typeof entry === "object" && entry !== null ? (entry as Readonly<Record<string, unknown>>)["tool"] : undefined;
    return typeof tool === "string" ? [tool] : [];
  });
}

const MOST_ENTRIES = 16;
