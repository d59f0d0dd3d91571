import { assertManifestEvent, canonicalJson } from "@wakeshift/protocol";
import type { Access, ManifestEvent } from "@wakeshift/protocol";
import type { EventRecord } from "../store.ts";
import { sha256Hex } from "../hash.ts";

/**
 * Makes the record of a published event, after checking all of it but whether its schemas compile.
 *
 * @throws WakeshiftError `bad_event`, `reserved_argument`, `bad_openness`
 */
export function eventRecord(appId: string, event: ManifestEvent, access: readonly Access[] | undefined): EventRecord {
  assertManifestEvent(event, access);
  const tools = [...new Set(event.tools ?? [])].sort();
  const sortedAccess = access === undefined ? undefined : [...new Set(access)].sort();
  const kept = {
    appId,
    name: event.name,
    description: event.description,
    argumentsSchema: event.arguments,
    payloadSchema: event.payload,
    access: sortedAccess,
    tools,
  };
  return { ...kept, digest: sha256Hex(canonicalJson({ ...kept, access: sortedAccess ?? null })) };
}
