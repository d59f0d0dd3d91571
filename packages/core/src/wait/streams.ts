import type { ServerResponse } from "node:http";
import { comeBackMs } from "./come-back.ts";
import { EventStream } from "./event-stream.ts";
import { Reader } from "./reader.ts";
import type { ReaderParts } from "./reader.ts";
import { unknownIn } from "./tickets.ts";
import type { AskedTickets } from "./tickets.ts";
import type { Hash } from "../engine/store.ts";

/** What the streams of a core are bounded by. */
export interface StreamOptions {
  /** A quiet stream pings this often, in milliseconds. */
  readonly pingMs: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** When a stream that has no live ticket may come back. */
  readonly retryMs: () => number;
}

interface OpenStream {
  readonly stream: EventStream;
  readonly closed: Promise<void>;
}

/** The open streams of a core. */
export class Streams {
  readonly #parts: ReaderParts;
  readonly #options: StreamOptions;
  readonly #open = new Set<OpenStream>();
  readonly #timer: NodeJS.Timeout;
  #closing = false;
  #count = 0;

  constructor(parts: ReaderParts, options: StreamOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#timer = setInterval(() => this.#keepAlive(), Math.min(1_000, options.pingMs));
    this.#timer.unref();
  }

  /** Whether the core is going down, and takes no further streams. */
  get isClosing(): boolean {
    return this.#closing;
  }

  /**
   * Serves one stream until either side ends it. One that has no live ticket, or none any more, is told what became of its tickets
   * and when to come back, and ends.
   * Resolves then.
   *
   * @param onUnknown - how many of the tickets this core doesn't know
   * @throws what the store throws, before anything was sent
   */
  async serve(
    response: ServerResponse,
    tickets: AskedTickets,
    holderHash: Hash,
    onUnknown: (count: number) => void = () => undefined,
  ): Promise<void> {
    const stream = new EventStream(response, {
      monotonic: () => this.#parts.clock.monotonic(),
      pingMs: this.#options.pingMs,
      onRoom: () => reader.resume(),
    });
    const onIdle = (): void => stream.end(this.#options.retryMs());
    const reader = new Reader(this.#parts, stream, `stream-${(this.#count += 1)}`, onIdle);
    const gone = new Promise<void>((resolve) => response.once("close", resolve));
    const closed = gone.then(() => reader.close(true));
    const open = { stream, closed };
    this.#open.add(open);
    try {
      const resolved = await reader.resolve(tickets, holderHash);
      onUnknown(unknownIn(resolved.ended));
      stream.begin();
      const live = reader.follow(resolved);
      if (live.length === 0) onIdle();
      else {
        stream.ready(live, this.#parts.core);
        reader.resume();
      }
      await closed;
    } finally {
      this.#open.delete(open);
    }
  }

  /** Tells every stream when to come back, and ends them all. Resolves when what they held is given back. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#timer);
    const open = [...this.#open];
    for (const { stream } of open) stream.end(comeBackMs(open.length, this.#options.random()));
    await Promise.all(open.map(({ closed }) => closed));
  }

  #keepAlive(): void {
    for (const { stream } of this.#open) stream.keepAlive();
  }
}
