import type { Addition, CallFacts, Via } from "@wakeshift/protocol";
import { LIMITS, WakeshiftError } from "@wakeshift/protocol";
import { NOT_SENT } from "../client/app-client.ts";
import type { AppClient } from "../client/app-client.ts";
import type { Publisher } from "../client/publisher.ts";
import type { CheckedArguments } from "../event/checked-arguments.ts";
import { checkArguments } from "../event/checked-arguments.ts";
import { definitionOf } from "../event/create-event.ts";
import type { EventDefinition } from "../event/event-definition.ts";
import type { AnyEvent } from "../event/event.ts";
import type { Asked, Failures } from "../log/failures.ts";
import { reasonOf } from "../log/failures.ts";
import type { LogBook } from "../log/log-book.ts";
import type { Call, SubscribeOptions, Subscription } from "./call.ts";
import type { Identity, SeenCall } from "./call-facts.ts";
import { callFactsOf } from "./call-facts.ts";
import type { Caller } from "./caller.ts";
import { endOwn } from "./end-own.ts";
import { isNativeClient } from "./native-client.ts";
import type { Rollback } from "./rollback.ts";
import { readSubscribeAnswer } from "./subscribe-answer.ts";
import type { ReadSubscribeAnswer } from "./subscribe-answer.ts";
import { readSubscribeOptions } from "./subscribe-request.ts";
import type { SubscribedNotice, SubscriptionHooks } from "./subscription-hooks.ts";
import { tellListener } from "./subscription-hooks.ts";
import { Turns } from "./turns.ts";

/** What every call of one `Wakeshift` shares. */
export interface CallEngine {
  readonly client: AppClient;
  readonly publisher: Publisher;
  readonly rollback: Rollback;
  readonly log: LogBook;
  readonly failures: Failures;
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
  /** Refuses a caller without a user. Not asked where {@link ToolCall.subscribeTo} is given what was decided on already. */
  readonly requireUser?: boolean;
  readonly hooks: SubscriptionHooks;
  /** Throws where the tool turns out to be unwrapped: asked before the first subscribe only, since it may list tools. */
  readonly assertWrapped: () => Promise<void>;
}

/** One subscribe request that may have reached the core. */
interface Attempt {
  readonly callId: string;
  /** `unknown`: it broke off, or wasn't waited for any longer, so the core may have stored it. */
  outcome: "running" | "stored" | "unknown";
}

/** A subscribe that is checked, before the core is asked. */
interface PreparedSubscribe {
  readonly checked: CheckedArguments;
  readonly requested: ReturnType<typeof readSubscribeOptions>;
  readonly identity: Identity;
  readonly context: unknown;
}

/** A subscription this call made or renewed. */
interface Made {
  readonly checked: CheckedArguments;
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
  /** One subscribe after the other: the second belongs to the session the first was given. */
  readonly #turns: Turns;
  #undoing: Promise<unknown> | undefined;

  constructor(options: ToolCallOptions) {
    this.#options = options;
    this.#session = options.seen.taken.session_key;
    this.#turns = new Turns(options.engine);
  }

  subscribe(event: AnyEvent, args: unknown, options: SubscribeOptions = {}): Promise<Subscription> {
    const check = async (): Promise<CheckedArguments> => {
      const definition = this.#declared(event);
      await this.#options.assertWrapped();
      return checkArguments(definition, args);
    };
    return this.#turns.take(
      () => this.#prepare(check, options).catch((error: unknown) => this.#tellSlip("subscribe", event, error)),
      (prepared, deadline) => this.#subscribe(prepared, deadline),
    );
  }

  /** As `subscribe`, for an event that needn't be declared. */
  subscribeTo(checked: CheckedArguments): Promise<Subscription> {
    return this.#turns.take(
      () => this.#prepare(() => Promise.resolve(checked), {}),
      (prepared, deadline) => this.#subscribe(prepared, deadline),
    );
  }

  unsubscribe(event: AnyEvent, args: unknown): Promise<boolean> {
    const prepare = async (): Promise<CheckedArguments> => {
      this.#begin();
      return checkArguments(this.#declared(event), args);
    };
    return this.#turns.take(
      () => prepare().catch((error: unknown) => this.#tellSlip("unsubscribe", event, error)),
      (checked, deadline) => this.#unsubscribe(checked, deadline),
    );
  }

  /**
   * Waits for subscribes nobody awaited, and what follows from them, but not for ever; what is asked from then on is refused, and
   * what isn't through is ended when the call is. Answers what its result is to say.
   */
  async settle(): Promise<readonly Addition[]> {
    await this.#turns.idle();
    if (this.#state === "open") this.#state = "settled";
    if (this.#turns.pending > 0) this.#tellUnfinished();
    if (this.#turns.failure !== undefined) this.#tellFailed(this.#turns.failure);
    // Its ticket would come too late for the result.
    for (const attempt of this.#attempts) if (attempt.outcome === "running") attempt.outcome = "unknown";
    return [...this.#made.values()].flatMap((made) => made.addition ?? []);
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

  /** What comes before the core is asked, and may wait for the author's own code. */
  async #prepare(check: () => Promise<CheckedArguments>, options: SubscribeOptions): Promise<PreparedSubscribe> {
    this.#begin();
    const checked = await check();
    const requested = readSubscribeOptions(options);
    const identity = await this.#options.caller();
    return { checked, requested, identity, context: options.context };
  }

  async #subscribe(prepared: PreparedSubscribe, deadline: number): Promise<Subscription> {
    const { engine, requireUser, via, seen } = this.#options;
    const { checked, requested, identity, context } = prepared;
    const { event, values } = checked;
    this.#assertOpen();
    if (identity.user === undefined) {
      if (requireUser === true)
        throw new WakeshiftError(
          "user_required",
          `${seen.tool} can't subscribe for a caller who isn't signed in. Sign in, then call it again.`,
        );
      if (event.access.includes("personal")) return { state: "unavailable", reason: "no_user" };
    }
    if (isNativeClient(seen.initialized, seen.context)) return this.#nativeUnavailable();
    if (this.#isFull(checked)) return { state: "unavailable", reason: "limit" };
    const asked = { request: "subscribe", event: event.name, tool: seen.tool } as const;
    await this.#told(asked, engine.publisher.published(deadline));
    this.#assertGoesOn();
    const facts = this.#facts(identity);
    const body = { call: facts, name: event.name, arguments: values, via, ...requested };
    const attempt: Attempt = { callId: engine.newCallId(), outcome: "running" };
    const answer = await this.#told(asked, this.#request(attempt, body, deadline));
    engine.failures.succeeded(asked);
    if (answer === undefined) return { state: "unavailable", reason: "limit" };
    this.#assertGoesOn();
    if (attempt.outcome !== "running") throw this.#over("its handler has returned");
    attempt.outcome = "stored";
    this.#session = answer.session ?? this.#session;
    const { subscription, created, addition } = answer;
    if (subscription.id === undefined) return subscription;
    const notice = {
      event: event.name,
      id: subscription.id,
      args: values,
      user: identity.user,
      via,
      tool: seen.tool,
      client: facts.client,
      native: subscription.state === "native",
      context,
    };
    const before = this.#made.get(subscription.id)?.notice;
    this.#made.set(subscription.id, { checked, addition, notice: created ? notice : before });
    return subscription;
  }

  /** Sends one subscribe under a call id of its own, so that one that broke off can be ended without the others. */
  async #request(
    attempt: Attempt,
    body: object & { readonly call: CallFacts },
    deadline: number,
  ): Promise<ReadSubscribeAnswer | undefined> {
    const { engine } = this.#options;
    this.#attempts.add(attempt);
    engine.client.watcher?.began(attempt.callId);
    try {
      const request = { ...body, call: { ...body.call, call_id: attempt.callId } };
      return readSubscribeAnswer(await engine.publisher.send("/event-subscriptions", request, deadline));
    } catch (error) {
      if (mayHaveRun(error)) attempt.outcome = "unknown";
      else this.#attempts.delete(attempt);
      if (WakeshiftError.isInstance(error) && error.code === "subscription_limit") return undefined;
      throw error;
    }
  }

  async #unsubscribe(checked: CheckedArguments, deadline: number): Promise<boolean> {
    const { engine, seen } = this.#options;
    this.#assertOpen();
    if (this.#session === undefined) return false;
    const facts = this.#facts(await this.#options.caller());
    const event = checked.event.name;
    const asked = { request: "unsubscribe", event, tool: seen.tool } as const;
    const ended = await this.#told(asked, endOwn(this.#options, facts, { event, args: checked }, deadline));
    engine.failures.succeeded(asked);
    for (const [id, made] of this.#made) if (isSame(made.checked, checked)) this.#made.delete(id);
    return ended > 0;
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

  #tellUnfinished(): void {
    const { engine, seen } = this.#options;
    engine.log.tellOnce(seen.tool, {
      level: "warn",
      code: "subscribe_unfinished",
      tool: seen.tool,
      message: `${seen.tool} returned before all it had asked for was through, and its result was held no longer: what wasn't through is ended. Await each subscribe, and look at what takes so long: identify, or the schema of the event's arguments.`,
    });
  }

  #tellFailed(error: unknown): void {
    const { engine, seen } = this.#options;
    const [code, why] = reasonOf(error);
    engine.log.tellOnce(`${seen.tool} ${code}`, {
      level: "warn",
      code: "request_failed",
      request: "subscribe",
      tool: seen.tool,
      error: code,
      message: `${seen.tool} returned, and what it had asked for failed with ${code}: ${why} Await each subscribe: its promise says so.`,
    });
  }

  /** Logs what the core didn't do. Behind a handler that has returned it is told otherwise, with what to do about that. */
  async #told<T>(asked: Asked, asking: Promise<T>): Promise<T> {
    try {
      return await asking;
    } catch (error) {
      if (!this.#turns.isIdling) this.#options.engine.failures.failed(asked, error);
      throw error;
    }
  }

  /** Logs, once, what the handler asked for that was refused before the core was asked. Of what a handler throws, only the agent hears. */
  #tellSlip(request: "subscribe" | "unsubscribe", event: AnyEvent, error: unknown): never {
    const [code, why] = reasonOf(error);
    const { engine, seen } = this.#options;
    const name: unknown = (event as Partial<AnyEvent> | null | undefined)?.name;
    // Of `no_call` the author is told where it is noticed, and what comes behind the handler is told when it has returned.
    if (code !== "no_call" && !this.#turns.isIdling)
      engine.log.tellOnce(`${seen.tool} ${request} ${String(name)} ${code}`, {
        level: "warn",
        code: "request_failed",
        request,
        tool: seen.tool,
        ...(typeof name === "string" ? { event: name } : {}),
        error: code,
        message: `${request} in ${seen.tool} failed with ${code}: ${why} This line comes once for each tool and event.`,
      });
    throw error;
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
  #isFull(checked: CheckedArguments): boolean {
    const made = [...this.#made.values()];
    return made.length >= LIMITS.metaEntries && !made.some((each) => isSame(each.checked, checked));
  }

  #isOver(): boolean {
    return this.#state === "handed" || this.#state === "undone";
  }

  /** For what is asked now. What comes behind the result the author is told: nobody may await it, and the agent has its answer. */
  #begin(): void {
    try {
      this.#assertOpen();
    } catch (error) {
      if (this.#state !== "undone") this.#tellFailed(error);
      throw error;
    }
  }

  /** For what may not begin any more. */
  #assertOpen(): void {
    if (this.#state === "settled") throw this.#over("its handler has returned");
    this.#assertGoesOn();
  }

  /** For what has begun. */
  #assertGoesOn(): void {
    if (this.#state === "handed") throw this.#over("its result has been handed on");
    if (this.#state === "undone") throw this.#over("it failed or was canceled", "What it had subscribed is ended, so its work can stop.");
  }

  #over(why: string, advice = "Subscribe before the handler returns."): WakeshiftError {
    return new WakeshiftError("no_call", `This call of ${this.#options.seen.tool} is over: ${why}. ${advice}`);
  }
}

function isSame(one: CheckedArguments, other: CheckedArguments): boolean {
  return one.event === other.event && one.canonical === other.canonical;
}

function mayHaveRun(error: unknown): boolean {
  if (!WakeshiftError.isInstance(error)) return true;
  return error.code === "bad_response" || error.code === "internal" || (error.code === "unreachable" && error.reason !== NOT_SENT);
}
