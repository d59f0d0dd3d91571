import { WakeshiftError, formatAppKey, frameWake, parseDuration } from "@wakeshift/protocol";
import type { Via } from "@wakeshift/protocol";
import { watchCalls } from "../client/call-watcher.ts";
import type { CoreRequest, CoreFetch } from "../client/fetch.ts";
import type { AnyEvent } from "../event/event.ts";
import type { LogEntry } from "../log/logger.ts";
import { assertOptions } from "../options/assert-options.ts";
import type { OptionNames } from "../options/assert-options.ts";
import type { WakeshiftOptions } from "../wakeshift-options.ts";
import { AppRequests } from "./app-requests.ts";
import { failRequest } from "./core-failure.ts";
import type { CoreFailure } from "./core-failure.ts";
import type { KeptSubscription } from "./subscription-book.ts";

/** How a core for tests is made. */
export interface TestingCoreOptions {
  /** What the app is called in wakes. @defaultValue "Test" */
  readonly appName?: string;
}

/** How long a wake is waited for. */
interface WaitOptions {
  readonly timeoutMs?: number;
}

/** A subscription that is live now. */
export interface TestSubscription {
  readonly id: string;
  /** The event's name. */
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly once: boolean;
  readonly expiresAt: Date;
  /** The same for all subscriptions of one conversation. */
  readonly conversation: string;
  /** The user `identify` gave. */
  readonly user: string | undefined;
  /** What the client calls itself. */
  readonly client: string;
  /** The agent program, where it was recognized. */
  readonly harness: string | undefined;
  readonly tool: string;
  readonly via: Via;
}

/** One occurrence that reached one conversation. */
export interface TestWake {
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
  /** The line the agent reads first. */
  readonly text: string;
  /** All that the agent is shown. */
  readonly message: string;
  /** Occurrence id. */
  readonly occurrence: string;
  readonly emittedAt: Date;
  /** What it was delivered to, as it was then. */
  readonly subscription: TestSubscription;
}

/** A core in this process, without network and disk: what an author tests a server with. */
export interface TestingCore {
  /** For `new Wakeshift({ ...core.options })`, as often as you like. */
  readonly options: Required<Pick<WakeshiftOptions, "key" | "core" | "logger" | "fetch">>;
  /** What the SDK has logged. */
  readonly log: readonly LogEntry[];
  /** What is subscribed now. */
  subscriptions(): readonly TestSubscription[];
  /** Every wake so far, oldest first. */
  wakes(): readonly TestWake[];
  /**
   * The oldest wake that no call of this function has answered yet, of one event or any, waiting for it.
   * @throws Error after `timeoutMs` (1,000 if left out); it says what was subscribed instead
   */
  wake(event?: AnyEvent | string, options?: WaitOptions): Promise<TestWake>;
  /** Moves the core's clock on: milliseconds or text like `"10m"`. @throws WakeshiftError `bad_request` */
  advance(duration: number | string): void;
  /** Fails the next requests, `times` of them or all, until {@link TestingCore.recover}. */
  fail(failure: CoreFailure, times?: number): void;
  /** Answers again. */
  recover(): void;
}

const CORE_NAMES: OptionNames<TestingCoreOptions> = { appName: true };
const WAKE_NAMES: OptionNames<WaitOptions> = { timeoutMs: true };
const CORE = "http://127.0.0.1:1";
const PATH = "/api/apps/v1";
const WAIT_MS = 1_000;

/**
 * Makes a core for tests. It decides as every core does, and hands occurrences over when you look: an emit inside a call that then
 * fails wakes nobody.
 *
 * @example
 * ```ts
 * const core = testingCore();
 * const wake = new Wakeshift({ ...core.options });
 * // … call a tool of your server, then emit …
 * expect(core.wakes()).toMatchObject([{ event: "crawl.finished", payload: { status: "done" } }]);
 * ```
 */
export function testingCore(options: TestingCoreOptions = {}): TestingCore {
  assertOptions(options, CORE_NAMES, "testingCore()");
  const { appName = "Test" } = options;
  return new MemoryCore(appName);
}

class MemoryCore implements TestingCore {
  readonly options: TestingCore["options"];
  readonly log: LogEntry[] = [];
  readonly #app: { readonly id: string; readonly name: string };
  readonly #requests: AppRequests;
  readonly #wakes: TestWake[] = [];
  readonly #answered: Set<TestWake> = new Set();
  readonly #waiting: Set<() => void> = new Set();
  /** Calls that run, or failed: what only they subscribed has no ticket outside. */
  readonly #open: Set<string> = new Set();
  #offsetMs = 0;
  #failing: { readonly failure: CoreFailure; left: number } | undefined;

  constructor(appName: string) {
    this.#app = { id: "app_test", name: appName };
    this.#requests = new AppRequests({ core: CORE, app: this.#app, now: () => this.#now(), randomBytes });
    const fetch: CoreFetch = (url, request) => this.#fetch(url, request);
    watchCalls(fetch, {
      began: (callId) => void this.#open.add(callId),
      handed: (callId) => {
        this.#open.delete(callId);
        this.#tellWaiting();
      },
    });
    this.options = { key: formatAppKey(randomBytes(32)), core: CORE, logger: (entry) => void this.log.push(entry), fetch };
  }

  subscriptions(): readonly TestSubscription[] {
    this.#handOver();
    return this.#requests.subscriptions.list({}, this.#now()).map(shown);
  }

  wakes(): readonly TestWake[] {
    this.#handOver();
    return [...this.#wakes];
  }

  async wake(event?: AnyEvent | string, options: WaitOptions = {}): Promise<TestWake> {
    assertOptions(options, WAKE_NAMES, "core.wake()");
    const { timeoutMs = WAIT_MS } = options;
    const name = typeof event === "object" ? event.name : event;
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = this.wakes().find((wake) => !this.#answered.has(wake) && (name === undefined || wake.event === name));
      if (found !== undefined) {
        this.#answered.add(found);
        return found;
      }
      if (performance.now() >= deadline) throw this.#nobodyWoken(name, timeoutMs);
      await this.#changed(deadline - performance.now());
    }
  }

  advance(duration: number | string): void {
    this.#offsetMs += parseDuration(duration);
  }

  fail(failure: CoreFailure, times = Number.POSITIVE_INFINITY): void {
    this.#failing = times > 0 ? { failure, left: times } : undefined;
  }

  recover(): void {
    this.#failing = undefined;
  }

  async #fetch(url: string, request: CoreRequest): Promise<Response> {
    const run = async (): Promise<object> => {
      const body: unknown = request.body === undefined ? undefined : JSON.parse(request.body);
      return this.#requests.answer(request.method, url.slice(CORE.length + PATH.length), body);
    };
    try {
      const failure = this.#nextFailure();
      return json(200, failure === undefined ? await run() : await failRequest(failure, request, run));
    } catch (error) {
      if (!WakeshiftError.isInstance(error)) throw error;
      const { code, message, status, reason } = error;
      return json(status, { error: { code, message, ...(reason === undefined ? {} : { reason }) } });
    } finally {
      this.#tellWaiting();
    }
  }

  #tellWaiting(): void {
    for (const changed of this.#waiting) changed();
  }

  #nextFailure(): CoreFailure | undefined {
    const failing = this.#failing;
    if (failing === undefined) return undefined;
    failing.left -= 1;
    if (failing.left <= 0) this.#failing = undefined;
    return failing.failure;
  }

  /** Hands over what is pending, in the order it was emitted. */
  #handOver(): void {
    const { subscriptions, occurrences } = this.#requests;
    const pending = subscriptions
      .list({}, this.#now())
      .filter(({ calls }) => calls.some((callId) => callId === undefined || !this.#open.has(callId)))
      .flatMap((subscription) => occurrences.pending(subscription).map((occurrence) => ({ subscription, occurrence })))
      .sort((one, other) => one.occurrence.seq - other.occurrence.seq);
    const over: Set<string> = new Set();
    for (const { subscription, occurrence } of pending) {
      if (over.has(subscription.id)) continue;
      subscription.handed.add(occurrence.seq);
      const { once, onceAfter } = subscription.terms;
      const { event, arguments: args, payload, text, id } = occurrence;
      const framed = { event, app: this.#app, occurrence: id, subscription: subscription.id, text, payload };
      this.#wakes.push({
        ...{ event, arguments: args, payload, text, occurrence: id },
        message: frameWake([framed]).text,
        emittedAt: new Date(occurrence.emittedAt),
        subscription: shown(subscription),
      });
      if (once && occurrence.seq > onceAfter) {
        over.add(subscription.id);
        subscriptions.end({ id: subscription.id }, "delivered", this.#now());
      }
    }
  }

  /** Resolves after the next request or call, or once the time is over. */
  #changed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const changed = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(changed);
        resolve();
      };
      const timer = setTimeout(changed, ms);
      this.#waiting.add(changed);
    });
  }

  #nobodyWoken(event: string | undefined, timeoutMs: number): Error {
    const subscribed = this.subscriptions().map((each) => `${each.event} ${JSON.stringify(each.arguments)}`);
    const what = event === undefined ? "nobody was woken" : `nobody was woken by ${event}`;
    const why = subscribed.length === 0 ? "nothing is subscribed" : `subscribed are: ${subscribed.join(", ")}`;
    return new Error(`Within ${String(timeoutMs)} ms ${what}; ${why}.`);
  }

  #now(): number {
    return Date.now() + this.#offsetMs;
  }
}

function shown({ id, event, arguments: args, conversation, terms }: KeptSubscription): TestSubscription {
  const { once, expiresAt, harness, tool, via } = terms;
  const { id: conversationId, user, client } = conversation;
  return {
    ...{ id, event, once, harness, tool, via, user, client },
    arguments: JSON.parse(args) as Readonly<Record<string, unknown>>,
    expiresAt: new Date(expiresAt),
    conversation: conversationId,
  };
}

function json(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
