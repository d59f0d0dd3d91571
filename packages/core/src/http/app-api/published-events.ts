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
  /** How many publishes that may change an event are under way. */
  readonly #changing = new Map<string, number>();

  constructor(store: Store, monotonic: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  /** The event an app published under a name. @throws WakeshiftError `unknown_event` */
  async find(appId: string, name: string): Promise<EventRecord> {
    const now = this.#monotonic();
    const at = placeOf(appId, name);
    const known = this.#known.get(at);
    if (known !== undefined && now - known.readAt < REMEMBERED_MS && !this.#changing.has(at)) return known.event;
    const event = await this.#store.findEvent(appId, name);
    if (event === undefined) {
      const shown = JSON.stringify(name.slice(0, 80));
      throw new WakeshiftError(
        "unknown_event",
        `This app has published no event ${shown}. Its server publishes what it defines with defineEvent when it starts: start it once, or check the name.`,
      );
    }
    if (this.#known.size >= MAX_EVENTS) this.#known.clear();
    this.#known.set(at, { event, readAt: now });
    return event;
  }

  /** Writes what differs, which counts from then on, also while the store still ends what an event closed to. */
  async put(events: readonly EventRecord[], now: Instant, sdk: string | undefined): Promise<PutEventsResult> {
    const places = events.map(({ appId, name }) => placeOf(appId, name));
    for (const place of places) this.#changing.set(place, (this.#changing.get(place) ?? 0) + 1);
    try {
      return await this.#store.putEvents(events, now, sdk);
    } finally {
      for (const place of places) {
        this.#known.delete(place);
        const others = (this.#changing.get(place) ?? 1) - 1;
        if (others > 0) this.#changing.set(place, others);
        else this.#changing.delete(place);
      }
    }
  }
}

function placeOf(appId: string, name: string): string {
  return `${appId}\n${name}`;
}
