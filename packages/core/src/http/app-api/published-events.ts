import { WakeshiftError } from "@wakeshift/protocol";
import type { EventRecord, Instant, PutEventsResult, Store } from "../../engine/store.ts";

interface KnownEvent {
  readonly event: EventRecord;
  /** Monotonic milliseconds. */
  readonly readAt: number;
}

const MAX_EVENTS = 2_000;
/** Another node's publish is noticed after so long; one of this node at once. */
const REMEMBERED_MS = 500;
/** How often one write is decided at most. An event changes by deploys: twice is rare already. */
const DECISIONS = 5;

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
    return this.#read(appId, name);
  }

  /**
   * Decides and writes by an event; once more by what it has become, where it changed between the two.
   *
   * @param write - answers `undefined` where the event it was given is not the stored one any more, and nothing is written
   * @throws WakeshiftError `unknown_event`; `internal` where it changes all the time
   */
  async decide<T>(appId: string, name: string, write: (event: EventRecord) => Promise<T | undefined>): Promise<T> {
    let event = await this.find(appId, name);
    for (let left = DECISIONS; left > 0; left -= 1) {
      const written = await write(event);
      if (written !== undefined) return written;
      event = await this.#read(appId, name);
    }
    throw new WakeshiftError("internal", `${name} was published anew again and again while this was decided; try again.`);
  }

  async #read(appId: string, name: string): Promise<EventRecord> {
    const now = this.#monotonic();
    const at = placeOf(appId, name);
    const event = await this.#store.findEvent(appId, name);
    if (event === undefined) {
      const shown = JSON.stringify(name.slice(0, 80));
      throw new WakeshiftError(
        "unknown_event",
        `This app has published no event ${shown}. Its server publishes what it defines with defineEvent before it first subscribes or emits: have an agent call a tool that subscribes, or check the name.`,
      );
    }
    if (this.#known.size >= MAX_EVENTS) this.#known.clear();
    this.#known.set(at, { event, readAt: now });
    return event;
  }

  /** Writes what differs, which counts from then on, also while the store has yet to end what an event closed to. */
  async put(
    events: readonly EventRecord[],
    { now, sdk }: { readonly now: Instant; readonly sdk: string | undefined },
  ): Promise<PutEventsResult> {
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
