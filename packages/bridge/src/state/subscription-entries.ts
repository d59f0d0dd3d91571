import { LIMITS, SUBSCRIPTION_META_KEY, canonicalJson, isEventName, isSecret, parseCoreUrl } from "@wakeshift/protocol";
import type { CoreUrl, SubscriptionMetaEntry } from "@wakeshift/protocol";
import { z } from "zod";
import type { ToolResult } from "@wakeshift/programs";

/** One subscription a tool result handed over, checked for form. What it says about app and event is the result's word. */
export interface SubscriptionEntry {
  readonly core: Pick<CoreUrl, "base" | "origin">;
  /** Which core issued it. Absent: one from before cores had ids. */
  readonly coreId?: string;
  readonly ticket: string;
  /** Subscription id. */
  readonly id: string;
  readonly app: { readonly id: string; readonly name: string };
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly once: boolean;
  /** Wall clock, milliseconds. */
  readonly expiresAt: number;
}

export interface ReadEntries {
  readonly entries: readonly SubscriptionEntry[];
  readonly refused: number;
  /** The tools that the entries are from. */
  readonly tools: readonly string[];
  /** Well-formed entries that are from another tool than they name. */
  readonly misnamed: readonly { readonly called: string; readonly named: string }[];
}

const identifier = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/);

const entrySchema: z.ZodType<SubscriptionMetaEntry> = z.object({
  v: z.literal(1),
  core: z.string(),
  coreId: z.exactOptional(identifier),
  ticket: z.string().refine((text) => isSecret("ticket", text)),
  id: identifier,
  event: z.string().refine(isEventName),
  arguments: z.record(z.string(), z.unknown()),
  once: z.boolean(),
  expiresAt: z.iso.datetime({ offset: true }),
  tool: z.string(),
  app: z.object({ id: identifier, name: z.string().max(200) }),
});

/**
 * The subscriptions in one call's results: at most 16 entries a result, each well formed and from the tool whose result
 * it is. Anything may stand in a result; what isn't such an entry is counted and left.
 */
export function readSubscriptionEntries(results: readonly ToolResult[]): ReadEntries {
  const entries: SubscriptionEntry[] = [];
  const tools = new Set<string>();
  const misnamed: { called: string; named: string }[] = [];
  let refused = 0;
  for (const result of results) {
    const listed = listedEntries(result.meta);
    refused += Math.max(0, listed.length - LIMITS.metaEntries);
    for (const value of listed.slice(0, LIMITS.metaEntries)) {
      const read = readEntry(value);
      if (read?.tool === result.tool) {
        entries.push(read.entry);
        tools.add(read.tool);
      } else {
        refused += 1;
        if (read !== undefined) misnamed.push({ called: result.tool, named: read.tool });
      }
    }
  }
  return { entries, refused, tools: [...tools], misnamed };
}

/** What stands under our key of a result's `_meta`; one entry without its list is taken as a list of one. */
function listedEntries(meta: unknown): readonly unknown[] {
  if (typeof meta !== "object" || meta === null || !Object.hasOwn(meta, SUBSCRIPTION_META_KEY)) return [];
  const value = (meta as Record<string, unknown>)[SUBSCRIPTION_META_KEY];
  return Array.isArray(value) ? value : [value];
}

function readEntry(value: unknown): { readonly entry: SubscriptionEntry; readonly tool: string } | undefined {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { tool, ...entry } = parsed.data;
  try {
    if (canonicalJson(entry.arguments).length > LIMITS.argumentsBytes) return undefined;
    const read: SubscriptionEntry = {
      core: parseCoreUrl(entry.core),
      ...(entry.coreId === undefined ? {} : { coreId: entry.coreId }),
      ticket: entry.ticket,
      id: entry.id,
      app: entry.app,
      event: entry.event,
      arguments: entry.arguments,
      once: entry.once,
      expiresAt: Date.parse(entry.expiresAt),
    };
    return { entry: read, tool };
  } catch {
    return undefined;
  }
}
