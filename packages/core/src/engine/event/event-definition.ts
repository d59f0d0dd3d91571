import { assertPlainJson, canonicalJson, isEventName, LIMITS, RESERVED_ARGUMENTS, WakeshiftError } from "@wakeshift/protocol";
import type { Access, ManifestEvent } from "@wakeshift/protocol";
import type { EventRecord } from "../../store/store.ts";
import { sha256Hex } from "../hash.ts";

const SCHEMA_BYTES = 65_536;

/**
 * Makes the record of a published event, after checking all of it but whether its schemas compile.
 *
 * @throws WakeshiftError `bad_event`, `reserved_argument`, `bad_openness`
 */
export function eventRecord(appId: string, event: ManifestEvent, access: readonly Access[] | undefined): EventRecord {
  if (!isEventName(event.name)) {
    const shown = JSON.stringify(event.name.slice(0, LIMITS.eventNameCharacters + 1));
    throw new WakeshiftError(
      "bad_event",
      `${shown} is no event name: it takes one to five dotted lowercase words such as "crawl.finished", at most ${LIMITS.eventNameCharacters} characters, not under "wakeshift.".`,
    );
  }
  checkSchema(event.name, "arguments", event.arguments);
  checkSchema(event.name, "payload", event.payload);
  checkArgumentNames(event);
  if (access?.includes("public") === true && access.some((way) => way !== "public")) {
    throw new WakeshiftError(
      "bad_openness",
      `${event.name} is declared public and ${access.filter((way) => way !== "public").join(" and ")}; public goes with nothing else.`,
    );
  }
  const tools = [...new Set(event.tools ?? [])].sort();
  if (tools.length > LIMITS.toolsPerEvent) {
    throw new WakeshiftError("bad_event", `${event.name} names ${tools.length} tools; at most ${LIMITS.toolsPerEvent} are kept.`);
  }
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

function checkSchema(event: string, field: string, schema: Readonly<Record<string, unknown>>): void {
  assertPlainJson(schema, "bad_event", `${event}: ${field}`);
  if (schema["type"] !== "object") throw new WakeshiftError("bad_event", `${event}: ${field} must be a JSON Schema of type "object".`);
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES) {
    throw new WakeshiftError("bad_event", `${event}: the ${field} schema is larger than ${SCHEMA_BYTES} bytes; make it smaller.`);
  }
  const required = schema["required"];
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string"))) {
    throw new WakeshiftError("bad_event", `${event}: "required" of the ${field} schema must be a list of names.`);
  }
}

function checkArgumentNames(event: ManifestEvent): void {
  const properties = event.arguments["properties"] ?? {};
  if (typeof properties !== "object" || Array.isArray(properties)) {
    throw new WakeshiftError("bad_event", `${event.name}: "properties" of the arguments schema must be an object.`);
  }
  const required = (event.arguments["required"] ?? []) as readonly string[];
  const reserved = RESERVED_ARGUMENTS.find((name) => Object.hasOwn(properties, name) || required.includes(name));
  if (reserved !== undefined)
    throw new WakeshiftError("reserved_argument", `${event.name} has an argument named ${reserved}, which is Wakeshift's own; rename it.`);
}
