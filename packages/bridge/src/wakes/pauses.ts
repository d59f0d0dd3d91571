import { conversationKey } from "../state/conversations.ts";
import { backOff } from "../stream/back-off.ts";

/** Why a conversation isn't tried just now. `not_now`: until it reports, or a minute has passed. */
export interface Pause {
  readonly state: "failed" | "not_now";
  readonly detail: string;
}

const FAILED = { firstMs: 1_000, longestMs: 60_000 };
const POSTPONED_MS = 60_000;

/** Pauses after attempts that failed or came at a bad time. Each ends by itself. */
export class Pauses {
  readonly #random: () => number;
  readonly #pauses = new Map<string, Pause>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #failures = new Map<string, number>();

  constructor(random: () => number) {
    this.#random = random;
  }

  get(program: string, conversation: string): Pause | undefined {
    return this.#pauses.get(conversationKey(program, conversation));
  }

  start(program: string, conversation: string, pause: Pause, onEnd: () => void): void {
    const key = conversationKey(program, conversation);
    const failures = (this.#failures.get(key) ?? 0) + (pause.state === "failed" ? 1 : 0);
    this.#failures.set(key, failures);
    clearTimeout(this.#timers.get(key));
    this.#pauses.set(key, pause);
    const length = pause.state === "not_now" ? POSTPONED_MS : backOff(failures, this.#random(), FAILED);
    this.#timers.set(
      key,
      setTimeout(() => {
        this.end(program, conversation);
        onEnd();
      }, length),
    );
  }

  end(program: string, conversation: string): void {
    const key = conversationKey(program, conversation);
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    this.#pauses.delete(key);
  }

  /** It went well again: the next failure counts as the first. */
  succeeded(program: string, conversation: string): void {
    this.end(program, conversation);
    this.#failures.delete(conversationKey(program, conversation));
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
}
