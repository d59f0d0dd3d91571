import { LIMITS, WakeshiftError } from "@wakeshift/protocol";
import type { ManifestRequest } from "@wakeshift/protocol";
import type { EventRecord } from "../store.ts";
import { eventRecord } from "../event/event-definition.ts";
import { accessOf, knowsAccessRule } from "./access-of.ts";

/** What a publish changes. */
export interface ManifestDecision {
  /** Every event of the publish, as it is to be stored. */
  readonly published: readonly EventRecord[];
  /** Those that differ from what is stored. */
  readonly changed: readonly EventRecord[];
  /** How many events the app has afterwards. Events left out of the publish are kept. */
  readonly events: number;
}

/**
 * Compares a manifest with what is stored of the app. Whether the schemas of what changed can be used is yet to be judged.
 *
 * @throws WakeshiftError `bad_event`, `reserved_argument`, `bad_openness`
 */
export function decideManifest(appId: string, manifest: ManifestRequest, stored: readonly EventRecord[]): ManifestDecision {
  const byName = new Map(stored.map((event) => [event.name, event]));
  const knowsRule = knowsAccessRule(manifest.sdk);
  const changed = new Map<string, EventRecord>();
  const published: EventRecord[] = [];
  const seen = new Set<string>();
  for (const event of manifest.events) {
    if (seen.has(event.name)) throw new WakeshiftError("bad_event", `The manifest has two events named ${event.name}.`);
    seen.add(event.name);
    const before = byName.get(event.name);
    const access = accessOf({ knowsRule, declared: event.access, personal: event.personal === true, stored: before });
    const record = eventRecord(appId, event, access);
    published.push(record);
    if (record.digest === before?.digest) continue;
    changed.set(event.name, record);
  }
  const events = new Set([...byName.keys(), ...seen]).size;
  if (events > LIMITS.eventsPerApp) {
    throw new WakeshiftError("bad_event", `The app would have ${events} events; at most ${LIMITS.eventsPerApp} are kept.`);
  }
  return { published, changed: [...changed.values()], events };
}
