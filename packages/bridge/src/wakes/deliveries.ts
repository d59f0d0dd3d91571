import { randomBytes } from "node:crypto";
import type { HandedWake } from "@wakeshift/programs";
import type { PendingWake } from "../state/pending-wakes.ts";
import { wakeKey } from "../state/pending-wakes.ts";

/** One handing-over whose outcome isn't known yet. */
export interface OpenDelivery {
  readonly program: string;
  readonly wake: HandedWake;
  /** The pending wakes that stand in it. */
  readonly keys: readonly string[];
  /** Monotonic, milliseconds. */
  readonly startedAt: number;
  /** `pushed`: the bridge itself waits for the program, so no lease runs out. */
  readonly kind: "taken" | "pushed";
}

export interface DeliveriesOptions {
  /** How long a taker may keep a wake without an outcome. */
  readonly leaseMs: number;
  readonly monotonic: () => number;
  /** Looks for the wake in the program's own record. */
  readonly confirm: (delivery: OpenDelivery) => Promise<"seen" | "queued" | "unknown">;
  readonly onSeen: (delivery: OpenDelivery) => void;
  /** The lease ran out without a proof: its wakes are to be offered again. */
  readonly onLost: (delivery: OpenDelivery) => void;
}

const FIRST_LOOK_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Deliveries under way, each with its lease and its looks into the program's record. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #open = new Map<string, OpenDelivery>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** A new name for a handing-over. */
  static newId(): string {
    return `dlv_${randomBytes(12).toString("hex")}`;
  }

  start(program: string, wake: HandedWake, shown: readonly PendingWake[], kind: OpenDelivery["kind"]): OpenDelivery {
    const delivery: OpenDelivery = { program, wake, keys: shown.map(wakeKey), startedAt: this.#options.monotonic(), kind };
    this.#open.set(wake.delivery, delivery);
    if (kind === "taken") this.#look(delivery, FIRST_LOOK_MS);
    return delivery;
  }

  find(id: string): OpenDelivery | undefined {
    return this.#open.get(id);
  }

  /** The delivery is over, however it came out. */
  close(id: string): void {
    this.#open.delete(id);
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  isPushing(program: string, conversation: string): boolean {
    return [...this.#open.values()].some(
      (one) => one.kind === "pushed" && one.program === program && one.wake.conversation === conversation,
    );
  }

  ofConversation(program: string, conversation: string): readonly OpenDelivery[] {
    return [...this.#open.values()].filter((one) => one.program === program && one.wake.conversation === conversation);
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  #look(delivery: OpenDelivery, pauseMs: number): void {
    const timer = setTimeout(() => void this.#lookNow(delivery, pauseMs), pauseMs);
    this.#timers.set(delivery.wake.delivery, timer);
  }

  async #lookNow(delivery: OpenDelivery, pauseMs: number): Promise<void> {
    const { leaseMs, monotonic, confirm, onSeen, onLost } = this.#options;
    const found = await confirm(delivery).catch(() => "unknown" as const);
    if (this.#open.get(delivery.wake.delivery) !== delivery) return;
    if (found === "seen") {
      onSeen(delivery);
      return;
    }
    const age = monotonic() - delivery.startedAt;
    if (age >= leaseMs && found !== "queued") onLost(delivery);
    else this.#look(delivery, Math.min(pauseMs * 2, LONGEST_PAUSE_MS, age < leaseMs ? leaseMs - age : LONGEST_PAUSE_MS));
  }
}
