import { isRecord } from "../json/is-record.ts";
import { canonicalJson } from "../json/canonical-json.ts";

/**
 * Tells whether an occurrence passes a subscription's optional arguments: each must equal the emit's argument of that name
 * where one was given, else the payload's field of that name. What neither has matches nothing.
 */
export function matchesFilter(
  filter: Readonly<Record<string, unknown>>,
  emitArguments: Readonly<Record<string, unknown>>,
  payload: unknown,
): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const holder = Object.hasOwn(emitArguments, name) ? emitArguments : payload;
    if (!isRecord(holder) || !Object.hasOwn(holder, name)) return false;
    return canonicalJson((holder as Record<string, unknown>)[name]) === canonicalJson(wanted);
  });
}
