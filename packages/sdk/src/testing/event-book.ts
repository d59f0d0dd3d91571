import { LIMITS, WakeshiftError, assertManifestEvent, assertUsableSchema, canonicalJson, requiredNames } from "@wakeshift/protocol";
import type { Access, ManifestEvent, ManifestRequest } from "@wakeshift/protocol";
import { createJsonSchemaCheck } from "../schema/compile-schema.ts";

/** An event as it was published, with its checks: each says what is wrong with a value, if anything is. */
export interface PublishedEvent {
  readonly name: string;
  readonly description: string;
  readonly access: readonly Access[];
  readonly argumentsSchema: Readonly<Record<string, unknown>>;
  readonly checkArguments: (value: unknown) => string | undefined;
  /** What its routes are made of: subscriptions of another shape are stranded. */
  readonly shape: string;
  readonly checkPayload: (value: unknown) => string | undefined;
  readonly digest: string;
}

/** What a publish did. */
export interface Publishing {
  readonly changed: boolean;
  /** How many events the app has. */
  readonly events: number;
  readonly closed: readonly string[];
}

/** The events one app has published. */
export class EventBook {
  readonly #events: Map<string, PublishedEvent> = new Map();

  /** @throws WakeshiftError `unknown_event` */
  find(name: string): PublishedEvent {
    const event = this.#events.get(name);
    if (event !== undefined) return event;
    throw new WakeshiftError("unknown_event", `This app has published no event ${JSON.stringify(name.slice(0, 80))}.`);
  }

  /**
   * Takes a manifest; events left out of it are kept.
   * @returns whether anything differed, and the names of events that were open and are tools-only now
   * @throws WakeshiftError `bad_event`, `reserved_argument`, `bad_openness`
   */
  publish(manifest: ManifestRequest): Publishing {
    const names = new Set<string>();
    const events = manifest.events.map((event) => {
      if (names.has(event.name)) throw new WakeshiftError("bad_event", "The manifest has two events of one name.");
      names.add(event.name);
      return publishedEvent(event);
    });
    const total = new Set([...this.#events.keys(), ...names]).size;
    if (total > LIMITS.eventsPerApp) throw new WakeshiftError("bad_event", `The app would have ${String(total)} events.`);
    const changed = events.filter((event) => this.#events.get(event.name)?.digest !== event.digest);
    const closed = changed.filter((event) => event.access.length === 0 && (this.#events.get(event.name)?.access.length ?? 0) > 0);
    for (const event of changed) this.#events.set(event.name, event);
    return { changed: changed.length > 0, events: total, closed: closed.map(({ name }) => name) };
  }
}

function publishedEvent(event: ManifestEvent): PublishedEvent {
  const declared = event.access ?? (event.personal === true ? ["personal"] : []);
  assertManifestEvent(event, declared);
  const { name, description, arguments: argumentsSchema, payload } = event;
  const access = [...new Set(declared)].sort();
  const tools = [...new Set(event.tools)].sort();
  return {
    ...{ name, description, access, argumentsSchema },
    checkArguments: checkOf(argumentsSchema, `the arguments of ${name}`),
    shape: canonicalJson({ personal: access.includes("personal"), required: [...requiredNames(argumentsSchema)].sort() }),
    checkPayload: checkOf(payload, `the payload of ${name}`),
    digest: canonicalJson({ name, description, access, argumentsSchema, payload, tools }),
  };
}

/** The validator writes into the schema it is given. */
function checkOf(schema: Readonly<Record<string, unknown>>, field: string): (value: unknown) => string | undefined {
  const check = createJsonSchemaCheck(structuredClone(schema), field);
  try {
    assertUsableSchema(schema);
    for (const sample of [{}, [], "", 0, null, true]) check(sample);
  } catch (error) {
    throw new WakeshiftError("bad_event", `The schema of ${field} can't be used.`, { cause: error });
  }
  return check;
}
