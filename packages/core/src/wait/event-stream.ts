import type { ServerResponse } from "node:http";
import type { CoreIdentity, Ended, Gap, Stranded } from "@wakeshift/protocol";
import { asciiJson, liveTicketsJson } from "./wake-json.ts";
import type { WakeSink } from "./wake-sink.ts";
import type { Watch } from "./watch.ts";

/** Keeps proxies from holding frames back, packing them, or keeping them. */
const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Says that nothing was packed, which is also what stops nginx from packing it.
  "Content-Encoding": "identity",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
  "X-Content-Type-Options": "nosniff",
} as const;

/** A reader that takes nothing for so long is given up. */
const STUCK_MS = 60_000;

/** An open event stream to one taker. Writes nothing while the other side doesn't read, but what it was asked for by then. */
export class EventStream implements WakeSink {
  readonly #response: ServerResponse;
  readonly #monotonic: () => number;
  readonly #pingMs: number;
  #lastWrite: number;
  #blockedSince: number | undefined;

  /** @param onRoom - called when there is room again after there was none. */
  constructor(
    response: ServerResponse,
    options: { readonly monotonic: () => number; readonly pingMs: number; readonly onRoom: () => void },
  ) {
    this.#response = response;
    this.#monotonic = options.monotonic;
    this.#pingMs = options.pingMs;
    this.#lastWrite = options.monotonic();
    response.on("drain", () => {
      this.#blockedSince = undefined;
      options.onRoom();
    });
  }

  /** Sends the head, so that the taker knows it is connected. */
  begin(): void {
    this.#response.writeHead(200, STREAM_HEADERS);
    this.#response.flushHeaders();
  }

  hasRoom(): boolean {
    return this.#blockedSince === undefined && !this.#response.destroyed && !this.#response.writableEnded;
  }

  wake(json: string): void {
    this.#write("wake", json);
  }

  ended(ended: Ended): void {
    this.#write("ended", JSON.stringify(ended));
  }

  gap(gap: Gap): void {
    this.#write("gap", JSON.stringify(gap));
  }

  stranded(stranded: Stranded): void {
    this.#write("stranded", JSON.stringify(stranded));
  }

  /** Everything that is live is followed from now on. */
  ready(live: readonly Watch[], core: CoreIdentity): void {
    const facts = `"tickets":${live.length},"ping_ms":${this.#pingMs},"core":${JSON.stringify(core)}`;
    this.#write("ready", `{${facts},"live":${liveTicketsJson(live)}}`);
  }

  /** Pings if it has been quiet, and gives up a taker that stopped reading. */
  keepAlive(): void {
    const now = this.#monotonic();
    if (this.#blockedSince !== undefined) {
      if (now - this.#blockedSince > STUCK_MS) this.#response.destroy();
    } else if (now - this.#lastWrite >= this.#pingMs) this.#write("ping", "{}");
  }

  /** Says when to come back, and ends. */
  end(retryMs: number): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#write("retry", JSON.stringify({ retry_ms: retryMs }));
    this.#response.end();
  }

  #write(event: string, json: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#lastWrite = this.#monotonic();
    if (!this.#response.write(`event: ${event}\ndata: ${asciiJson(json)}\n\n`)) this.#blockedSince ??= this.#lastWrite;
  }
}
