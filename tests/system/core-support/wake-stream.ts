import { createParser } from "eventsource-parser";

/** One message of a stream. */
export interface StreamMessage {
  readonly event: string;
  readonly data: any;
}

/** A stream as a bridge reads it, with everything it got so far. */
export class WakeStream {
  readonly messages: StreamMessage[] = [];
  readonly response: Response;
  readonly #abort: AbortController;
  readonly #waiting = new Set<() => void>();
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.ended = this.#read().catch(() => undefined);
  }

  static async open(url: string, holder: string, tickets: readonly unknown[], headers: Record<string, string> = {}): Promise<WakeStream> {
    const abort = new AbortController();
    const response = await fetch(`${url}/api/wakes/v1/stream`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...headers },
      body: JSON.stringify({ holder, tickets }),
      signal: abort.signal,
    });
    return new WakeStream(response, abort);
  }

  of(event: string): any[] {
    return this.messages.filter((message) => message.event === event).map((message) => message.data);
  }

  /** Waits until `ready` (or what is given) holds. */
  async until(condition: () => boolean, timeoutMs = 30_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!condition()) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`waited ${timeoutMs} ms in vain; got ${JSON.stringify(this.messages).slice(0, 2_000)}`);
      await new Promise<void>((resolve) => {
        const wakeUp = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(wakeUp);
          resolve();
        };
        const timer = setTimeout(wakeUp, left);
        this.#waiting.add(wakeUp);
      });
    }
  }

  async untilReady(): Promise<this> {
    await this.until(() => this.of("ready").length > 0);
    return this;
  }

  /** Waits for the `count`th wake and gives all of them. */
  async wakes(count = 1, timeoutMs?: number): Promise<any[]> {
    await this.until(() => this.of("wake").length >= count, timeoutMs);
    return this.of("wake");
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        this.messages.push({ event: event ?? "message", data: JSON.parse(data) });
        for (const wakeUp of [...this.#waiting]) wakeUp();
      },
    });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body as unknown as AsyncIterable<Uint8Array>)
        parser.feed(decoder.decode(chunk, { stream: true }));
    } finally {
      for (const wakeUp of [...this.#waiting]) wakeUp();
    }
  }
}
