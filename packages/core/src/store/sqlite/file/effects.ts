import type { EndedReason } from "@wakeshift/protocol";
import type { Hash, StoreListener } from "../../../engine/store.ts";

/** What a write will have changed for others, told once it is on disk. */
export class Effects {
  readonly emitted: Hash[] = [];
  readonly ended: { readonly subscriptionId: string; readonly reason: EndedReason }[] = [];
  readonly retired: Hash[] = [];
  readonly reshaped: { readonly appId: string; readonly event: string; readonly shape: string }[] = [];
  /** Subscriptions of which something may be claimed that was held back before. */
  readonly available: string[] = [];
  /** Changes of memory that must not happen before the commit. */
  readonly afterCommit: (() => void)[] = [];
}

/** Applies what the writes of one commit changed, and tells each listener once. */
export function applyEffects(all: readonly Effects[], listeners: Iterable<StoreListener>): void {
  for (const effects of all) for (const change of effects.afterCommit) change();
  const routes = [...new Set(all.flatMap((effects) => effects.emitted))];
  const ended = all.flatMap((effects) => effects.ended);
  const retired = all.flatMap((effects) => effects.retired);
  const reshaped = all.flatMap((effects) => effects.reshaped);
  const available = all.flatMap((effects) => effects.available);
  for (const listener of [...listeners]) {
    if (reshaped.length > 0) listener.reshaped?.(reshaped);
    if (routes.length > 0) listener.emitted?.(routes);
    if (ended.length > 0) listener.ended?.(ended);
    if (retired.length > 0) listener.retired?.(retired);
    if (available.length > 0) listener.available?.(available);
  }
}
