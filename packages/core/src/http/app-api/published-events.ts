import { WakeshiftError } from "@wakeshift/protocol";
import type { EventRecord, Instant, PutEventsResult, Store } from "../../store/store.ts";

interface KnownEvent {
  readonly event: EventRecord;
  /** Monotonic milliseconds. */
  readonly readAt: number;
}

const MAX_EVENTS = 2_000;
/** Another node's publish is noticed after so long; one of this node at once. */
const REMEMBERED_MS = 500;

/** The events that apps published. Reading one from the store at each emit would cost as much as writing the occurrence. */
export class PublishedEvents {
  readonly #store: Store;
  readonly #monotonic: () => number;
  readonly #known = new Map<string, KnownEvent>();

  constructor(store: Store, monotonic: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  /** The event an app published under a name. @throws WakeshiftError `unknown_event` */
  async find(appId: string, name: string): Promise<EventRecord> {
    const now = this.#monotonic();
    const at = `${appId}\n${name}`;
    const known = this.#known.get(at);
    if (known !== undefined && now - known.readAt < REMEMBERED_MS) return known.event;
    const event = await this.#store.findEvent(appId, name);
    if (event === undefined) {
      const shown = JSON.stringify(name.slice(0, 80));
      throw new WakeshiftError(
        "unknown_event",
        `This app has published no event ${shown}. Define it with defineEvent and publish the manifest first.`,
      );
    }
    if (this.#known.size >= MAX_EVENTS) this.#known.clear();
    this.#known.set(at, { event, readAt: now });
    return event;
  }

  /** Writes events, which count from then on. */
  async put(events: readonly EventRecord[], now: Instant): Promise<PutEventsResult> {
    const result = await this.#store.putEvents(events, now);
    for (const { appId, name } of events) this.#known.delete(`${appId}\n${name}`);
    return result;
  }
}
