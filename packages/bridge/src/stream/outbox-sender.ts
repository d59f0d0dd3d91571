import { WakeshiftError } from "@wakeshift/protocol";
import type { AckRequest, EndTicketsRequest } from "@wakeshift/protocol";
import type { OutboxMessage, Outbox } from "../state/outbox.ts";
import { backOff } from "./back-off.ts";
import { isOfCore } from "./answering.ts";
import type { CoreExchange } from "./core-exchange.ts";
import { CoreRefusal } from "./core-exchange.ts";
import type { CoreChannel, CoreHttp } from "./core-http.ts";

export interface OutboxSenderOptions {
  readonly base: string;
  readonly holder: string;
  readonly http: CoreHttp;
  readonly outbox: Outbox;
  /** Asked before each contact: the user may have changed his mind about the core since the message was kept. */
  readonly mayCarry: (message: OutboxMessage) => boolean;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Longest pause between attempts, in milliseconds. */
  readonly longestPauseMs: number;
  readonly onFailure: (detail: string) => void;
}

const FIRST_PAUSE_MS = 250;
const ANSWER_MS = 15_000;
const BATCH = 100;

/** Carries the outbox of one core to it, batch by batch, until it is empty. */
export class OutboxSender {
  readonly #options: OutboxSenderOptions;
  #running = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #abort = new AbortController();
  #channel: CoreChannel | undefined;

  constructor(options: OutboxSenderOptions) {
    this.#options = options;
  }

  /** To be called when something was added, or the core was heard of again. */
  kick(): void {
    if (this.#running || this.#closed) return;
    clearTimeout(this.#timer);
    this.#running = true;
    void this.#run();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#channel?.close();
  }

  async #run(): Promise<void> {
    const { base, outbox, mayCarry, random, longestPauseMs, onFailure } = this.#options;
    const waiting = (): readonly OutboxMessage[] => outbox.ofCore(base).filter(mayCarry);
    for (;;) {
      if (waiting().length === 0 || this.#closed) {
        this.#running = false;
        return;
      }
      try {
        const { coreId, exchange } = await this.#connected();
        const batch = nextBatch(waiting().filter((message) => isOfCore(message, { kind: "core", id: coreId })));
        if (batch.length === 0 && waiting().length > 0) throw new WakeshiftError("unreachable", `another core answers at ${base}`);
        await this.#send(exchange, batch);
        this.#failures = 0;
        outbox.done(batch);
      } catch (error) {
        this.#failures += 1;
        if (this.#failures === 1) onFailure(error instanceof Error ? error.message : String(error));
        const asked = error instanceof CoreRefusal ? error.retryAfterMs : undefined;
        const pause = asked ?? backOff(this.#failures, random(), { firstMs: FIRST_PAUSE_MS, longestMs: longestPauseMs });
        this.#running = false;
        if (!this.#closed) this.#timer = setTimeout(() => this.kick(), pause);
        return;
      }
    }
  }

  async #connected(): Promise<CoreChannel> {
    const { base, http } = this.#options;
    if (this.#channel?.isOpen() !== true) this.#channel = await http.open(base, this.#abort.signal);
    return this.#channel;
  }

  async #send(exchange: CoreExchange, batch: readonly OutboxMessage[]): Promise<void> {
    const { holder } = this.#options;
    if (batch.length === 0) return;
    if (batch[0]?.kind === "end") {
      const body: EndTicketsRequest = { holder, tickets: batch.map((message) => message.ticket) };
      await exchange.post("/end", body, ANSWER_MS);
      return;
    }
    const acks = batch.flatMap((message) =>
      message.kind === "ack" ? [{ ticket: message.ticket, occurrence: message.occurrence, state: message.state }] : [],
    );
    const body: AckRequest = { holder, acks };
    await exchange.post("/ack", body, ANSWER_MS);
  }
}

/** Acks go before endings, so that nothing is ended before what was handed is known. */
function nextBatch(messages: readonly OutboxMessage[]): readonly OutboxMessage[] {
  const acks = messages.filter((message) => message.kind === "ack");
  return (acks.length > 0 ? acks : messages).slice(0, BATCH);
}
