import type { Addition, CallFacts, Via } from "@wakeshift/protocol";
import { LIMITS, WakeshiftError, canonicalJson } from "@wakeshift/protocol";
import { NOT_SENT } from "../client/app-client.ts";
import type { AppClient } from "../client/app-client.ts";
import type { Publisher } from "../client/publisher.ts";
import { definitionOf } from "../event/create-event.ts";
import { checkArguments } from "../event/emit-request.ts";
import type { EventDefinition } from "../event/event-definition.ts";
import type { AnyEvent } from "../event/event.ts";
import type { LogBook } from "../log/log-book.ts";
import type { Call, SubscribeOptions, Subscription } from "./call.ts";
import type { Identity, SeenCall } from "./call-facts.ts";
import { callFactsOf } from "./call-facts.ts";
import type { Caller } from "./caller.ts";
import { isNativeClient } from "./native-client.ts";
import type { Rollback } from "./rollback.ts";
import { readSubscribeAnswer } from "./subscribe-answer.ts";
import type { ReadSubscribeAnswer } from "./subscribe-answer.ts";
import { readSubscribeOptions } from "./subscribe-request.ts";
import type { SubscribedNotice, SubscriptionHooks } from "./subscription-hooks.ts";
import { tellListener } from "./subscription-hooks.ts";

/** What every call of one `Wakeshift` shares. */
export interface CallEngine {
  readonly client: AppClient;
  readonly publisher: Publisher;
  readonly rollback: Rollback;
  readonly log: LogBook;
  readonly timeoutMs: number;
  readonly monotonic: () => number;
  readonly newCallId: () => string;
}

/** One call, as the seam opens it. */
export interface ToolCallOptions {
  readonly engine: CallEngine;
  readonly seen: SeenCall;
  readonly via: Via;
  /** Names of the events this tool may subscribe to through {@link Call}. */
  readonly declared?: ReadonlySet<string>;
  readonly caller: Caller;
  readonly requireUser: boolean;
  readonly hooks: SubscriptionHooks;
  /** Throws where the tool turns out to be unwrapped: asked before the first subscribe only, since it may list tools. */
  readonly assertWrapped: () => Promise<void>;
  /** Told once, when the call is first used: most calls of a tool that may subscribe don't. */
  readonly begins?: () => void;
}

/** One subscribe request that may have reached the core. */
interface Attempt {
  readonly callId: string;
  /** `unknown`: it broke off, so the core may have stored it. */
  outcome: "running" | "stored" | "unknown";
}

/** A subscription this call made or renewed. */
interface Made {
  readonly event: string;
  readonly arguments: string;
  readonly addition: Addition | undefined;
  readonly notice: SubscribedNotice | undefined;
}

/**
 * One running call.
 *
 * `open`: it may subscribe. `settled`: its handler is through, so only what is under way goes on. `handed`: the result went on with
 * its additions; nothing can be added. `undone`: the call failed or was canceled; what it subscribed is being ended, and a subscribe
 * still under way is ended when it comes back.
 */
export class ToolCall implements Call {
  readonly #options: ToolCallOptions;
  readonly #attempts: Set<Attempt> = new Set();
  readonly #made: Map<string, Made> = new Map();
  #state: "open" | "settled" | "handed" | "undone" = "open";
  #session: string | undefined;
  #begun = false;
  /** One subscribe after the other: the second belongs to the session the first was given. */
  #queue: Promise<unknown> | undefined;
  #undoing: Promise<unknown> | undefined;

  constructor(options: ToolCallOptions) {
    this.#options = options;
    this.#session = options.seen.taken.session_key;
  }

  subscribe(event: AnyEvent, args: unknown, options: SubscribeOptions = {}): Promise<Subscription> {
    return this.#enqueue(() => {
      this.#assertOpen();
      return this.#subscribe(this.#declared(event), args, options);
    });
  }

  /** As `subscribe`, for an event that needn't be declared. */
  subscribeTo(definition: EventDefinition, args: unknown, options: SubscribeOptions): Promise<Subscription> {
    return this.#enqueue(() => this.#subscribe(definition, args, options));
  }

  unsubscribe(event: AnyEvent, args: unknown): Promise<boolean> {
    return this.#enqueue(() => this.#unsubscribe(event, args));
  }

  /**
   * Waits for subscribes nobody awaited, and what follows from them, but not for ever; what is asked from then on is refused.
   * Answers what its result is to say.
   */
  async settle(): Promise<readonly Addition[]> {
    const { monotonic, timeoutMs } = this.#options.engine;
    const until = monotonic() + timeoutMs;
    let last: Promise<unknown> | undefined;
    while (last !== this.#queue && monotonic() < until) {
      last = this.#queue;
      await last;
    }
    if (this.#state === "open") this.#state = "settled";
    await this.#queue;
    return [...this.#made.values()].flatMap((made) => made.addition ?? []);
  }

  /** Whether anything was asked of this call. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether any subscribe of this call may have reached the core. */
  get subscribed(): boolean {
    return this.#attempts.size > 0;
  }

  /** The result is handed on: nothing can be added, and what broke off is ended. */
  close(): void {
    if (this.#isOver()) return;
    this.#state = "handed";
    const { engine, hooks } = this.#options;
    for (const { callId, outcome } of this.#attempts) {
      if (outcome === "unknown") void engine.rollback.undo(callId);
      else engine.client.watcher?.handed(callId);
    }
    for (const { notice } of this.#made.values())
      if (notice !== undefined) tellListener(hooks.onSubscribe, notice, engine.log, "onSubscribe");
  }

  /** The call failed: ends what it subscribed. Resolves once the core has been told, or the telling goes on in the background. */
  async undo(): Promise<void> {
    if (!this.#isOver()) {
      this.#state = "undone";
      this.#undoing = Promise.all([...this.#attempts].map((attempt) => this.#options.engine.rollback.undo(attempt.callId)));
    }
    await this.#undoing;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#begun) {
      this.#begun = true;
      this.#options.begins?.();
    }
    const result = (this.#queue ?? Promise.resolve()).then(work);
    // Marks the rejection as seen: a subscribe that nobody awaited must not end the process.
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async #subscribe(event: EventDefinition, args: unknown, options: SubscribeOptions): Promise<Subscription> {
    const { engine, requireUser, via, seen } = this.#options;
    this.#assertOpen();
    await this.#options.assertWrapped();
    const checked = await checkArguments(event, args);
    const requested = readSubscribeOptions(options);
    const identity = await this.#options.caller();
    if (identity.user === undefined) {
      if (requireUser)
        throw new WakeshiftError(
          "user_required",
          `${seen.tool} can't subscribe for a caller who isn't signed in. Sign in, then call it again.`,
        );
      if (event.access.includes("personal")) return { state: "unavailable", reason: "no_user" };
    }
    if (isNativeClient(seen.initialized, seen.context)) return this.#nativeUnavailable();
    const canonical = canonicalJson(checked);
    if (this.#isFull(event.name, canonical)) return { state: "unavailable", reason: "limit" };
    const deadline = engine.monotonic() + engine.timeoutMs;
    await engine.publisher.published(deadline);
    this.#assertGoesOn();
    const facts = this.#facts(identity);
    const body = { call: facts, name: event.name, arguments: checked, via, ...requested };
    const answer = await this.#request(body, deadline);
    if (answer === undefined) return { state: "unavailable", reason: "limit" };
    this.#assertGoesOn();
    this.#session = answer.session ?? this.#session;
    const { subscription, created, addition } = answer;
    if (subscription.id === undefined) return subscription;
    const notice = {
      event: event.name,
      id: subscription.id,
      args: checked,
      user: identity.user,
      via,
      tool: seen.tool,
      client: facts.client,
      native: subscription.state === "native",
      context: options.context,
    };
    const before = this.#made.get(subscription.id)?.notice;
    this.#made.set(subscription.id, { event: event.name, arguments: canonical, addition, notice: created ? notice : before });
    return subscription;
  }

  /** Sends one subscribe under a call id of its own, so that one that broke off can be ended without the others. */
  async #request(body: object & { readonly call: CallFacts }, deadline: number): Promise<ReadSubscribeAnswer | undefined> {
    const { engine } = this.#options;
    const attempt: Attempt = { callId: engine.newCallId(), outcome: "running" };
    this.#attempts.add(attempt);
    engine.client.watcher?.began(attempt.callId);
    try {
      const answer = await engine.publisher.send(
        "/event-subscriptions",
        { ...body, call: { ...body.call, call_id: attempt.callId } },
        deadline,
      );
      attempt.outcome = "unknown";
      const read = readSubscribeAnswer(answer);
      attempt.outcome = "stored";
      return read;
    } catch (error) {
      if (mayHaveRun(error)) attempt.outcome = "unknown";
      else this.#attempts.delete(attempt);
      if (WakeshiftError.isInstance(error) && error.code === "subscription_limit") return undefined;
      throw error;
    }
  }

  async #unsubscribe(event: AnyEvent, args: unknown): Promise<boolean> {
    const { engine, via, seen, hooks } = this.#options;
    this.#assertOpen();
    const definition = this.#declared(event);
    const checked = await checkArguments(definition, args);
    if (this.#session === undefined) return false;
    const identity = await this.#options.caller();
    const facts = this.#facts(identity);
    const ended = await endOwn(engine, { call: facts, name: event.name, arguments: checked });
    const canonical = canonicalJson(checked);
    for (const [id, made] of this.#made) if (made.event === event.name && made.arguments === canonical) this.#made.delete(id);
    if (ended === 0) return false;
    tellListener(
      hooks.onUnsubscribe,
      { event: event.name, id: undefined, args: checked, user: identity.user, via, tool: seen.tool, client: facts.client },
      engine.log,
      "onUnsubscribe",
    );
    return true;
  }

  /** A ticket would wake nobody: such a client has no bridge, and MCP Events aren't served by this version. */
  #nativeUnavailable(): Subscription {
    const { engine, seen } = this.#options;
    engine.log.tellOnce(`${seen.tool} host_unsupported`, {
      level: "warn",
      code: "native_unavailable",
      tool: seen.tool,
      reason: "host_unsupported",
      message: `${seen.tool} was called by a client that subscribes by MCP Events, which this version of @wakeshift/sdk doesn't serve yet, so nothing was subscribed.`,
    });
    return { state: "unavailable", reason: "host_unsupported" };
  }

  #facts(identity: Identity): CallFacts {
    return { ...callFactsOf(this.#options.seen, identity), ...(this.#session === undefined ? {} : { session: this.#session }) };
  }

  #declared(event: AnyEvent): EventDefinition {
    const definition = definitionOf(event);
    if (this.#options.declared?.has(definition.name) === true) return definition;
    throw new WakeshiftError(
      "undeclared_event",
      `${this.#options.seen.tool} doesn't declare ${definition.name}. Add it to the tool's \`subscribes\`, or to its entry in \`wrap\`.`,
    );
  }

  /** A result carries so many tickets; one more subscription could never be woken. */
  #isFull(event: string, canonical: string): boolean {
    const made = [...this.#made.values()];
    return made.length >= LIMITS.metaEntries && !made.some((each) => each.event === event && each.arguments === canonical);
  }

  #isOver(): boolean {
    return this.#state === "handed" || this.#state === "undone";
  }

  /** For what may not begin any more. */
  #assertOpen(): void {
    if (this.#state === "settled") throw this.#over("its handler has returned");
    this.#assertGoesOn();
  }

  /** For what has begun. */
  #assertGoesOn(): void {
    if (this.#isOver()) throw this.#over(this.#state === "handed" ? "its result has been handed on" : "it failed or was canceled");
  }

  #over(why: string): WakeshiftError {
    const { tool } = this.#options.seen;
    return new WakeshiftError("no_call", `This call of ${tool} is over: ${why}. Subscribe before the handler returns.`);
  }
}

/**
 * Ends what the call's session key allows; answers how many.
 * @throws WakeshiftError as the app API; a session key nobody knows ends nothing
 */
export async function endOwn(engine: CallEngine, request: object): Promise<number> {
  try {
    const { ended } = await engine.client.send("POST", "/event-subscriptions/unsubscribe", request, engine.monotonic() + engine.timeoutMs);
    return typeof ended === "number" ? ended : ended === true ? 1 : 0;
  } catch (error) {
    if (WakeshiftError.isInstance(error) && error.code === "unknown_session") return 0;
    throw error;
  }
}

function mayHaveRun(error: unknown): boolean {
  if (!WakeshiftError.isInstance(error)) return true;
  return error.code === "bad_response" || error.code === "internal" || (error.code === "unreachable" && error.reason !== NOT_SENT);
}
