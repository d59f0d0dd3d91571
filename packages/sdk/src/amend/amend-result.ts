import type { Addition } from "@wakeshift/protocol";
import { isRecord, LIMITS, SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { BLOCK_FIELD } from "./block-field.ts";

/** A tool's result, in the parts Wakeshift adds to. */
export interface AmendableResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

/** The result with what was subscribed in its three places: one more text part, `structuredContent.wakeshift`, `_meta`. */
export function amendResult<T extends AmendableResult>(result: T, additions: readonly Addition[], takesBlock: boolean): T {
  if (additions.length === 0) return result;
  const texts = additions.map((addition) => addition.text).filter((text) => text !== "");
  const block = blockOf(additions);
  const { content, structuredContent, _meta: meta } = result;
  const structured = takesBlock && block !== undefined && isRecord(structuredContent) && !Object.hasOwn(structuredContent, BLOCK_FIELD);
  return {
    ...result,
    ...(texts.length > 0 && (content === undefined || Array.isArray(content))
      ? { content: [...((content as readonly unknown[] | undefined) ?? []), { type: "text", text: texts.join("\n\n") }] }
      : {}),
    ...(structured ? { structuredContent: { ...structuredContent, [BLOCK_FIELD]: block } } : {}),
    _meta: mergeMeta(isRecord(meta) ? meta : {}, additions),
  };
}

/** One subscription is the block itself; of several, the last is, and all stand in `subscriptions`. */
function blockOf(additions: readonly Addition[]): Readonly<Record<string, unknown>> | undefined {
  const blocks = additions.map((addition) => addition.structured).filter((block) => Object.keys(block).length > 0);
  const last = blocks.at(-1);
  return blocks.length > 1 ? { ...last, subscriptions: blocks } : last;
}

/** The author's keys stay. Of the entries, ours come last and are the ones kept where there are too many. */
function mergeMeta(own: Readonly<Record<string, unknown>>, additions: readonly Addition[]): Readonly<Record<string, unknown>> {
  const there: unknown = own[SUBSCRIPTION_META_KEY];
  const entries: unknown[] = Array.isArray(there) ? [...(there as readonly unknown[])] : [];
  const others: Record<string, unknown> = {};
  for (const { meta } of additions) {
    for (const [key, value] of Object.entries(meta)) {
      if (key !== SUBSCRIPTION_META_KEY) others[key] = value;
      else if (Array.isArray(value)) entries.push(...(value as readonly unknown[]));
      else entries.push(value);
    }
  }
  return { ...others, ...own, ...(entries.length === 0 ? {} : { [SUBSCRIPTION_META_KEY]: entries.slice(-LIMITS.metaEntries) }) };
}
