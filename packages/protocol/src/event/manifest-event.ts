import type { Access, ManifestEvent } from "../app-api.ts";
import { WakeshiftError } from "../errors.ts";
import { byteLength } from "../frame/cut-text.ts";
import { assertPlainJson } from "../json/plain-json.ts";
import { LIMITS } from "../limits.ts";
import { RESERVED_ARGUMENTS } from "./argument-names.ts";
import { isEventName } from "./event-name.ts";

const SCHEMA_BYTES = 65_536;

/**
 * Checks all of a published event but whether its schemas compile.
 *
 * @param access - the openness it is going to have. `undefined`: published without the access rule.
 * @throws WakeshiftError `bad_event`, `reserved_argument`, `bad_openness`
 */
export function assertManifestEvent(event: ManifestEvent, access: readonly Access[] | undefined): void {
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
  const tools = new Set(event.tools ?? []);
  if (tools.size > LIMITS.toolsPerEvent) {
    throw new WakeshiftError("bad_event", `${event.name} names ${tools.size} tools; at most ${LIMITS.toolsPerEvent} are kept.`);
  }
}

function checkSchema(event: string, field: string, schema: Readonly<Record<string, unknown>>): void {
  assertPlainJson(schema, "bad_event", `${event}: ${field}`);
  if (schema["type"] !== "object") throw new WakeshiftError("bad_event", `${event}: ${field} must be a JSON Schema of type "object".`);
  if (byteLength(JSON.stringify(schema)) > SCHEMA_BYTES) {
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
  if (Object.hasOwn(properties, "__proto__") || required.includes("__proto__"))
    throw new WakeshiftError("bad_event", `${event.name} has an argument named __proto__, which many programs lose or misread; rename it.`);
  const reserved = RESERVED_ARGUMENTS.find((name) => Object.hasOwn(properties, name) || required.includes(name));
  if (reserved !== undefined)
    throw new WakeshiftError("reserved_argument", `${event.name} has an argument named ${reserved}, which is Wakeshift's own; rename it.`);
}
