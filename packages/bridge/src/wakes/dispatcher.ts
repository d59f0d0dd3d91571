import { WakeshiftError } from "@wakeshift/protocol";
import type { ProgramName } from "@wakeshift/protocol";
import type { Clock } from "../clock.ts";
import type { OutcomeRequest, PendingStatus, SettingsAnswer, TakeAnswer, TakeRequest } from "../local-api.ts";
import type { Delivery, HandedWake, Program, Runner } from "@wakeshift/programs";
import type { Conversation, Conversations } from "../state/conversations.ts";
import { conversationKey, conversationState, isConversationOpen } from "../state/conversations.ts";
import type { OccurrenceFiles } from "../state/occurrence-files.ts";
import type { PendingWake, PendingWakes } from "../state/pending-wakes.ts";
import { wakeKey } from "../state/pending-wakes.ts";
import { composeWake } from "./compose-wake.ts";
import type { OpenDelivery } from "./deliveries.ts";
import { Deliveries } from "./deliveries.ts";
import { HandedLately } from "./handed-lately.ts";
import { nextStep } from "./next-step.ts";
import { Pauses } from "./pauses.ts";
import { Takers } from "./takers.ts";
import { WakeHistory } from "./wake-history.ts";

export interface DispatcherParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly pending: PendingWakes;
  readonly conversations: Conversations;
  readonly occurrences: OccurrenceFiles;
  readonly settings: () => SettingsAnswer;
  readonly program: (name: ProgramName) => Program | undefined;
  readonly runner: Runner;
  /** Live subscriptions of a conversation: all, and those whose core may be contacted. */
  readonly live: (program: string, conversation: string) => { readonly all: number; readonly allowed: number };
  /** Whether a wake may be shown: false where each of its subscriptions has expired by the wall clock, right or wrong. */
  readonly mayShow: (wake: PendingWake) => boolean;
  /** Acks wakes that reached their conversation. */
  readonly ack: (wakes: readonly PendingWake[], state: "handed" | "seen") => Promise<void>;
  /** Something about the conversation's liveness may have changed. */
  readonly onChange: (program: ProgramName, conversation: string) => void;
  readonly log: (message: string, facts: Readonly<Record<string, unknown>>) => void;
  readonly leaseMs: number;
}

const LATER_LOOKS_MS = [500, 2_000, 8_000, 30_000] as const;

/**
 * Brings pending wakes into their conversations. One conversation is served by one taker or one push at a time; what fails
 * or stays without a proof is offered again.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #takers = new Takers();
  readonly #history: WakeHistory;
  readonly #deliveries: Deliveries;
  readonly #pauses: Pauses;
  readonly #handedLately = new HandedLately();
  readonly #budgetTimers = new Map<string, NodeJS.Timeout>();
  readonly #laterLooks = new Set<NodeJS.Timeout>();
  readonly #waitedSince = new Map<string, number>();
  #closed = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#history = new WakeHistory(parts.pending, parts.clock);
    this.#pauses = new Pauses(parts.random);
    this.#deliveries = new Deliveries({
      leaseMs: parts.leaseMs,
      monotonic: () => parts.clock.monotonic(),
      confirm: (delivery) => this.#confirm(delivery),
      onSeen: (delivery) => void this.#settle(delivery, { state: "seen" }),
      onLost: (delivery) => this.#offerAgain(delivery, "no proof that a turn shows it"),
    });
  }

  /** After a start: what was under way when the last process ended is looked for before it is offered again. */
  recover(): void {
    const byDelivery = new Map<string, PendingWake[]>();
    for (const wake of this.#parts.pending.all()) {
      if (wake.delivery !== undefined) byDelivery.set(wake.delivery, [...(byDelivery.get(wake.delivery) ?? []), wake]);
    }
    for (const [id, wakes] of byDelivery) {
      const first = wakes[0];
      if (first === undefined) continue;
      const wake: HandedWake = {
        delivery: id,
        conversation: first.conversation,
        text: "",
        occurrences: wakes.map((one) => one.occurrence),
        subscriptions: wakes.map(subscriptionsOf),
      };
      this.#deliveries.start(first.program, wake, wakes, "taken");
    }
    this.pumpAll();
  }

  /** Does what can be done now for every conversation that has something pending. */
  pumpAll(): void {
    const seen = new Set<string>();
    for (const wake of this.#parts.pending.all()) {
      const key = conversationKey(wake.program, wake.conversation);
      if (seen.has(key)) continue;
      seen.add(key);
      this.pump(wake.program, wake.conversation);
    }
  }

  /** Does what can be done now for one conversation. */
  pump(program: ProgramName, conversation: string): void {
    const known = this.#parts.conversations.find(program, conversation);
    if (known === undefined || this.#closed) return;
    if (this.#undelivered(program, conversation).length === 0) return;
    // A waiter outlives its program by a moment: a wake given to it would wait out its lease for nobody.
    this.#takers.dropDeadOf(program, conversation);
    const step = this.#step(known);
    if (step.do === "hold") {
      if (step.why === "over_budget") this.#wakeUpLater(known);
      return;
    }
    void this.#hand(known, step.do);
  }

  /** A conversation reported something: what was postponed until then is tried again. */
  reported(program: ProgramName, conversation: string): void {
    if (this.#pauses.get(program, conversation)?.state === "not_now") this.#pauses.end(program, conversation);
    const known = this.#parts.conversations.find(program, conversation);
    if (known?.lifecycle === "closed") this.#takers.finish(program, conversation, { kind: "leave" });
    this.pump(program, conversation);
  }

  /** A waiting hook or plugin asks for a wake. */
  async take(request: TakeRequest, signal: AbortSignal): Promise<TakeAnswer> {
    const { program, conversation } = request;
    const live = (): number => this.#parts.live(program, conversation).all;
    const leave = (): TakeAnswer => {
      this.#waitedSince.delete(waiterKey(request));
      return { wake: null, live: live(), leave: true };
    };
    if (this.#hasNothingToWaitFor(request)) return leave();
    const patienceMs = this.#patience(request);
    const waitMs = Math.max(0, Math.min(request.wait_ms, patienceMs));
    const waiting = this.#takers.wait(program, conversation, request.taker, request.pid, waitMs, signal);
    this.pump(program, conversation);
    const end = await waiting;
    if (end.kind === "wake") {
      this.#waitedSince.delete(waiterKey(request));
      const delivery = this.#deliveries.find(end.wake.delivery);
      if (signal.aborted && delivery !== undefined) this.#offerAgain(delivery, "the taker left");
      return { wake: end.wake, live: live() };
    }
    // Timers may fire a little before the clock says so: what counts is that the wait went through to its end. A wake that
    // is held back (by the budget, after a failure) prolongs it no further.
    const isPatienceOver = end.kind === "time_up" && patienceMs <= request.wait_ms;
    if (end.kind === "leave" || isPatienceOver || this.#hasNothingToWaitFor(request)) return leave();
    return { wake: null, live: live() };
  }

  /** @returns false where the delivery is unknown or settled. */
  async outcome(request: OutcomeRequest): Promise<boolean> {
    const delivery = this.#deliveries.find(request.delivery);
    if (delivery === undefined) return await this.#seenLater(request);
    await this.#settle(
      delivery,
      request.detail === undefined ? { state: request.state } : { state: request.state, detail: request.detail },
    );
    return true;
  }

  /** Occurrences that are proven to stand in a turn's input. */
  async seen(program: ProgramName, conversation: string, occurrences: readonly string[]): Promise<void> {
    const wakes = this.#parts.pending.ofConversation(program, conversation).filter((wake) => occurrences.includes(wake.occurrence));
    if (wakes.length === 0) return;
    await this.#reached(wakes, "seen");
    for (const delivery of this.#deliveries.ofConversation(program, conversation)) {
      if (delivery.kind === "taken" && delivery.keys.every((key) => this.#parts.pending.find(key) === undefined)) {
        this.#deliveries.close(delivery.wake.delivery);
      }
    }
  }

  /** To be called when subscriptions of a conversation ended. */
  ended(program: ProgramName, conversation: string): void {
    if (this.#parts.live(program, conversation).all === 0 && this.#undelivered(program, conversation).length === 0) {
      this.#takers.finish(program, conversation, { kind: "leave" });
    }
  }

  /** Looks at processes, and at conversations that may have opened or closed without a word. */
  tick(): void {
    this.#takers.dropDead();
    this.pumpAll();
  }

  /** Where a pending wake stands. */
  stateOf(wake: PendingWake): { readonly state: PendingStatus["state"]; readonly detail: string } {
    if (wake.delivery !== undefined && this.#deliveries.find(wake.delivery) !== undefined) {
      return { state: "leased", detail: "handed over; no turn has shown it yet" };
    }
    const known = this.#parts.conversations.find(wake.program, wake.conversation);
    if (known === undefined) return { state: "no_taker", detail: "the conversation hasn't reported" };
    const pause = this.#pauses.get(wake.program, wake.conversation);
    const step = this.#step(known);
    if (step.do !== "hold") return { state: "queued", detail: "" };
    if (step.why === "failed" && pause !== undefined)
      return { state: pause.state === "failed" ? "failed" : "queued", detail: pause.detail };
    return { state: step.why, detail: DETAILS[step.why] };
  }

  /** Whether a wake can reach the conversation now. */
  isOpen(program: ProgramName, conversation: string): boolean {
    const known = this.#parts.conversations.find(program, conversation);
    return known !== undefined && this.#isOpen(known);
  }

  close(): void {
    this.#closed = true;
    this.#takers.close();
    this.#deliveries.closeAll();
    this.#pauses.close();
    for (const timer of this.#budgetTimers.values()) clearTimeout(timer);
    for (const timer of this.#laterLooks) clearTimeout(timer);
  }

  #step(known: Conversation): ReturnType<typeof nextStep> {
    const program = this.#parts.program(known.program);
    const settings = this.#parts.settings();
    return nextStep({
      budget: this.#history.decide(known.program, known.conversation, settings["wake-budget"]),
      hasTaker: this.#takers.has(known.program, known.conversation),
      isOpen: this.#isOpen(known),
      unattended: known.unattended,
      delivery: program?.delivery ?? "taken",
      canResume: program?.resume !== undefined,
      resume: settings.resume,
      isBusy: this.#deliveries.isPushing(known.program, known.conversation),
      isPaused: this.#pauses.get(known.program, known.conversation) !== undefined,
    });
  }

  #isOpen(known: Conversation): boolean {
    const program = this.#parts.program(known.program);
    return program?.isOpen?.(conversationState(known)) ?? isConversationOpen(known);
  }

  #undelivered(program: string, conversation: string): readonly PendingWake[] {
    const { pending, mayShow } = this.#parts;
    return pending.ofConversation(program, conversation).filter((wake) => wake.delivery === undefined && mayShow(wake));
  }

  async #hand(known: Conversation, how: "hand" | "push" | "resume"): Promise<void> {
    const { pending, occurrences } = this.#parts;
    const { program, conversation } = known;
    const found = this.#undelivered(program, conversation).flatMap((wake) => {
      const content = occurrences.read(wake.base, wake.app, wake.occurrence);
      // Without its content it is worth nothing here; the core still has it, unacked.
      if (content === undefined) pending.remove(wakeKey(wake));
      return content === undefined ? [] : [{ wake, content }];
    });
    if (found.length === 0) return;
    const { text, shown } = composeWake(found);
    const wake: HandedWake = {
      delivery: Deliveries.newId(),
      conversation,
      text,
      occurrences: shown.map((one) => one.occurrence),
      subscriptions: shown.map(subscriptionsOf),
    };
    for (const one of shown) pending.put({ ...one, delivery: wake.delivery });
    const taker = how === "hand" ? this.#takers.claim(program, conversation) : undefined;
    const delivery = this.#deliveries.start(program, wake, shown, how === "hand" ? "taken" : "pushed");
    // On disk before the program has it: after a crash it is looked for, not shown a second time.
    await pending.save();
    if (how === "hand") {
      if (taker?.finish({ kind: "wake", wake }) !== true) this.#offerAgain(delivery, "the taker left");
      return;
    }
    await this.#settle(delivery, await this.#push(known, wake, how));
  }

  async #push(known: Conversation, wake: HandedWake, how: "push" | "resume"): Promise<Delivery> {
    const program = this.#parts.program(known.program);
    const act = how === "push" ? program?.deliver?.bind(program) : program?.resume?.bind(program);
    if (act === undefined) return { state: "not_now", detail: `${known.program} can't be reached this way` };
    try {
      return await act(wake, conversationState(known), this.#parts.runner);
    } catch (error) {
      return {
        state: "failed",
        detail: error instanceof WakeshiftError ? error.message : error instanceof Error ? error.message.slice(0, 200) : "fault",
      };
    }
  }

  async #settle(delivery: OpenDelivery, outcome: Delivery): Promise<void> {
    if (this.#closed || this.#deliveries.find(delivery.wake.delivery) !== delivery) return;
    const wakes = this.#wakesOf(delivery);
    const program = wakes[0]?.program;
    const { conversation } = delivery.wake;
    if (program === undefined) {
      this.#deliveries.close(delivery.wake.delivery);
    } else if (outcome.state === "handed" || outcome.state === "seen") {
      this.#deliveries.close(delivery.wake.delivery);
      this.#pauses.succeeded(program, conversation);
      await this.#reached(wakes, outcome.state);
      if (outcome.state === "handed") {
        this.#handedLately.remember(delivery.wake.delivery, wakes);
        this.#lookLater(delivery, wakes, 0);
      }
      this.pump(program, conversation);
    } else {
      const { state, detail = "" } = outcome;
      this.#pauses.start(program, conversation, { state, detail }, () => this.pump(program, conversation));
      this.#offerAgain(delivery, detail);
    }
  }

  /** A plugin that saw the turn begin says so after it said `handed`. */
  async #seenLater(request: OutcomeRequest): Promise<boolean> {
    const wakes = request.state === "seen" ? this.#handedLately.take(request.delivery) : [];
    if (wakes.length > 0) await this.#shown(wakes);
    return wakes.length > 0;
  }

  /** Gives the wakes of a delivery back to whoever comes next. */
  #offerAgain(delivery: OpenDelivery, detail: string): void {
    if (this.#closed) return;
    this.#deliveries.close(delivery.wake.delivery);
    const wakes = this.#wakesOf(delivery);
    for (const wake of wakes) {
      const { delivery: _, ...undelivered } = wake;
      this.#parts.pending.put(undelivered);
    }
    const { conversation, occurrences } = delivery.wake;
    this.#parts.log("wake not delivered", { program: delivery.program, conversation, occurrences, detail });
    void this.#parts.pending.save();
    const program = wakes[0]?.program;
    if (program !== undefined) this.pump(program, conversation);
  }

  #wakesOf(delivery: OpenDelivery): readonly PendingWake[] {
    return delivery.keys.flatMap((key) => this.#parts.pending.find(key) ?? []);
  }

  async #reached(wakes: readonly PendingWake[], state: "handed" | "seen"): Promise<void> {
    const first = wakes[0];
    if (first === undefined) return;
    const now = this.#parts.clock.now();
    for (const wake of wakes) this.#parts.pending.hand(wake, now);
    this.#rememberLast(wakes, state, now);
    this.#history.count(first.program, first.conversation);
    await this.#parts.pending.save();
    await this.#parts.ack(wakes, state);
    this.#parts.onChange(first.program, first.conversation);
  }

  /** What was handed before turned up in a turn. */
  async #shown(wakes: readonly PendingWake[]): Promise<void> {
    const { pending, ack } = this.#parts;
    const { last } = pending;
    const isLast = wakes.some((wake) => wake.occurrence === last?.occurrence && wake.conversation === last.conversation);
    // Saved with the next wake or at the end: it is for `status` only.
    if (last !== undefined && isLast) pending.setLast({ ...last, state: "seen" });
    await ack(wakes, "seen");
  }

  #rememberLast(wakes: readonly PendingWake[], state: "handed" | "seen", now: number): void {
    const wake = wakes.at(-1);
    if (wake === undefined) return;
    const { program, conversation, occurrence, base, app } = wake;
    const content = this.#parts.occurrences.read(base, app, occurrence);
    this.#parts.pending.setLast({
      at: new Date(now).toISOString(),
      program,
      conversation,
      app: content?.app ?? { id: app, name: "" },
      event: content?.event ?? "",
      occurrence,
      state,
    });
  }

  /** `handed` is told to the core at once; whether a turn showed it is looked for a few times more, for the timeline. */
  #lookLater(delivery: OpenDelivery, wakes: readonly PendingWake[], round: number): void {
    const pause = LATER_LOOKS_MS[round];
    if (pause === undefined || this.#parts.program(wakes[0]?.program ?? "codex")?.confirm === undefined) return;
    const timer = setTimeout(() => {
      this.#laterLooks.delete(timer);
      void this.#confirm(delivery).then((found) => {
        if (this.#closed) return;
        if (found === "seen") void this.#shown(wakes);
        else this.#lookLater(delivery, wakes, round + 1);
      });
    }, pause);
    this.#laterLooks.add(timer);
  }

  async #confirm(delivery: OpenDelivery): Promise<"seen" | "queued" | "unknown"> {
    const known = this.#parts.conversations.find(delivery.program, delivery.wake.conversation);
    const program = known === undefined ? undefined : this.#parts.program(known.program);
    if (known === undefined || program?.confirm === undefined) return "unknown";
    return await program.confirm(delivery.wake, conversationState(known)).catch(() => "unknown" as const);
  }

  #hasNothingToWaitFor(request: TakeRequest): boolean {
    const { program, conversation } = request;
    if (this.#undelivered(program, conversation).length > 0) return false;
    const live = this.#parts.live(program, conversation);
    return (request.unattended ? live.allowed : live.all) === 0;
  }

  /** How long this taker may go on waiting, in milliseconds. Without an end where somebody sits at the program. */
  #patience(request: TakeRequest): number {
    if (!request.unattended) return Number.POSITIVE_INFINITY;
    const now = this.#parts.clock.monotonic();
    const key = waiterKey(request);
    const since = this.#waitedSince.get(key) ?? now;
    this.#waitedSince.set(key, since);
    return this.#parts.settings()["unattended-wait"] - Math.max(request.waited_ms ?? 0, now - since);
  }

  #wakeUpLater(known: Conversation): void {
    const key = conversationKey(known.program, known.conversation);
    if (this.#budgetTimers.has(key)) return;
    const decision = this.#history.decide(known.program, known.conversation, this.#parts.settings()["wake-budget"]);
    if (decision.allowed) return;
    const timer = setTimeout(() => {
      this.#budgetTimers.delete(key);
      this.pump(known.program, known.conversation);
    }, decision.inMs);
    this.#budgetTimers.set(key, timer);
  }
}

const DETAILS: Readonly<Record<PendingStatus["state"], string>> = {
  queued: "another wake of this conversation is being handed over",
  leased: "handed over; no turn has shown it yet",
  muted: "its core or app was denied",
  conversation_closed: "comes when the conversation is opened again",
  over_budget: "the conversation was woken too often within the hour",
  failed: "will be tried again",
  no_taker: "waits for the program to ask for it",
};

function subscriptionsOf(wake: PendingWake): readonly string[] {
  return wake.subscriptions.map((subscription) => subscription.id);
}

function waiterKey(request: TakeRequest): string {
  return `${conversationKey(request.program, request.conversation)}\n${request.taker}`;
}
