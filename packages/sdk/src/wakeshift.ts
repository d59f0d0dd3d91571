import { LIMITS, WakeshiftError } from "@wakeshift/protocol";
import type { EmitRequest, ManifestRequest } from "@wakeshift/protocol";
import { attach } from "./attach/attach.ts";
import type { Attached } from "./attach/attach.ts";
import type { ContextOf, ServerLike } from "./attach/server-like.ts";
import type { Call } from "./call/call.ts";
import { findCall } from "./call/call-store.ts";
import { createRollback } from "./call/rollback.ts";
import type { CallEngine } from "./call/tool-call.ts";
import { createAppClient } from "./client/app-client.ts";
import { identityOrFault } from "./client/app-identity.ts";
import { createPublisher } from "./client/publisher.ts";
import { createEvent, definitionOf } from "./event/create-event.ts";
import { readEmitAnswer } from "./event/emit-answer.ts";
import { manifestEventOf } from "./event/event-definition.ts";
import type { EventDefinition } from "./event/event-definition.ts";
import type { AnyEvent, Emitted, EventOptions, WakeEvent } from "./event/event.ts";
import { Failures } from "./log/failures.ts";
import { LogBook } from "./log/log-book.ts";
import { assertOptions } from "./options/assert-options.ts";
import type { OptionNames } from "./options/assert-options.ts";
import { plainJson } from "./schema/plain-value.ts";
import type { Schema } from "./schema/schema.ts";
import type { AttachOptions } from "./serve/attach-options.ts";
import { keepShare, shareOf } from "./serve/share.ts";
import { VERSION } from "./version.ts";
import { resolveWakeshiftOptions } from "./wakeshift-options.ts";
import type { WakeshiftOptions } from "./wakeshift-options.ts";

/** Which subscriptions to end. At least one field; every one given must match. */
export interface EndOptions {
  /** An event, or its name. */
  readonly event?: AnyEvent | string;
  readonly user?: string;
  /** Arguments a subscription must have, as its schema made them; it matches with further ones, such as a filter, too. */
  readonly args?: Readonly<Record<string, unknown>>;
}

const NO_CURRENT_CALL =
  "No call of a wrapped tool is running here. Register the tool through the attachment or name it in `wrap`. If the async context was lost, pass the handler's ctx (1.x: extra).";

const END_NAMES: OptionNames<EndOptions> = { event: true, user: true, args: true };

/**
 * One app. Make it once, at the top of your server; attach it to every server instance.
 *
 * @example
 * ```ts
 * const wake = new Wakeshift();
 * const crawlFinished = wake.defineEvent("crawl.finished", {
 *   description: "A crawl finished",
 *   args: z.object({ job: z.string() }),
 *   payload: z.object({ status: z.string() }),
 * });
 * ```
 */
export class Wakeshift {
  readonly #events: Map<string, EventDefinition> = new Map();
  /** Names of the tools that declare each event, as far as they are known. */
  readonly #tools: Map<string, Set<string>> = new Map();
  readonly #engine: CallEngine;
  readonly #failures: Failures;
  #isAttachedWithoutIdentify = false;

  /**
   * Does no I/O. Without a key everything works except the calls to the core, which fail with `no_key`; with a malformed one they fail
   * with `unauthorized`. Attaching logs either once.
   * @throws WakeshiftError `bad_request` for options that can't be used
   */
  constructor(options: WakeshiftOptions = {}) {
    const { key, core, logger, timeoutMs, fetch } = resolveWakeshiftOptions(options, process.env);
    const monotonic = (): number => performance.now();
    const log = new LogBook(logger);
    this.#failures = new Failures(log);
    const identity = identityOrFault(key, core, Date.now);
    const client = createAppClient({ core, identity, monotonic, fetch });
    const manifest = (): ManifestRequest => ({
      sdk: { language: "typescript", version: VERSION },
      events: [...this.#events.values()].map((event) => manifestEventOf(event, [...(this.#tools.get(event.name) ?? [])].sort())),
    });
    this.#engine = {
      client,
      publisher: createPublisher({ client, log, manifest, monotonic }),
      rollback: createRollback({ client, log, timeoutMs, monotonic, random: Math.random }),
      log,
      failures: this.#failures,
      timeoutMs,
      monotonic,
      newCallId: () => `call_${crypto.randomUUID().replaceAll("-", "")}`,
    };
    keepShare({
      owner: this,
      engine: this.#engine,
      keyFault: WakeshiftError.isInstance(identity) ? identity : undefined,
      attachedWithoutIdentify: () => void (this.#isAttachedWithoutIdentify = true),
      catalogs: new Map(),
      events: () => [...this.#events.values()],
      declares: (tool, events) => {
        for (const event of events) this.#note(event, tool);
      },
    });
  }

  /**
   * Defines an event. It is published to the core before the first call that needs it.
   * @throws WakeshiftError `bad_event`, `bad_openness`, `reserved_argument`
   */
  defineEvent<Args extends Schema, Payload extends Schema, const Name extends string>(
    name: Name,
    options: EventOptions<Args, Payload>,
  ): WakeEvent<Args, Payload, Name> {
    if (this.#events.has(name))
      throw new WakeshiftError("bad_event", `${name} is defined already. Define each event once, next to new Wakeshift().`);
    if (this.#events.size >= LIMITS.eventsPerApp)
      throw new WakeshiftError("bad_event", `An app has at most ${String(LIMITS.eventsPerApp)} events.`);
    const event = createEvent(name, options, {
      send: (request) => this.#emit(request),
      watch: (emitted) => this.#failures.watch({ request: "emit", event: name }, emitted),
    });
    const definition = definitionOf(event);
    if (definition.access.includes("personal") && this.#isAttachedWithoutIdentify)
      throw new WakeshiftError(
        "bad_openness",
        `${name} is personal, and a server was attached without identify, so nobody could subscribe to it there. Pass identify to wake.attach() or attachTools().`,
      );
    this.#events.set(name, definition);
    this.#engine.publisher.changed();
    return event;
  }

  /**
   * Attaches to an MCP server: an `McpServer` or a low-level `Server` of `@modelcontextprotocol/server` 2.x or
   * `@modelcontextprotocol/sdk` 1.x, long-lived or made for one request. Attach before the server is connected. Does no I/O.
   * @throws WakeshiftError `already_attached`, `unsupported`, `bad_request`
   */
  attach<S extends ServerLike>(server: S, options: AttachOptions<ContextOf<S>> = {}): Attached<S> {
    return attach(shareOf(this), server, options);
  }

  /**
   * The call of a tool that is running, anywhere in its handler's async chain. Code that lost the chain (a callback queue) passes
   * the handler's `ctx` (2.x) or `extra` (1.x).
   * @throws WakeshiftError `no_call` where none is running
   */
  currentCall(context?: unknown): Call {
    const call = findCall(this, context);
    if (call !== undefined) return call;
    // The MCP SDK makes a result of what a handler throws, which only the agent reads.
    this.#engine.log.tellOnce("currentCall", { level: "warn", code: "no_call", message: NO_CURRENT_CALL });
    throw new WakeshiftError("no_call", NO_CURRENT_CALL);
  }

  /**
   * Ends subscriptions, for instance when someone loses access: every one that has all of what is given. Nothing more reaches
   * them, also nothing that is on its way. Answers how many ended.
   * @throws WakeshiftError `bad_request` where nothing is given that would narrow it, `bad_arguments` where `args` is no JSON, and
   * as every call to the core
   */
  end(options: EndOptions): Promise<number> {
    return this.#failures.watch({ request: "end" }, this.#end(options));
  }

  async #end(options: EndOptions): Promise<number> {
    assertOptions(options, END_NAMES, "wake.end()");
    const { event, user, args } = options;
    if (user !== undefined && (typeof user !== "string" || user.trim() === ""))
      throw new WakeshiftError("bad_request", "`user` of wake.end must be a user's id, which isn't blank.");
    const some = args === undefined ? {} : (plainJson(args, "bad_arguments", "`args`") as Readonly<Record<string, unknown>>);
    const body = {
      ...(event === undefined ? {} : { event: typeof event === "string" ? event : definitionOf(event).name }),
      ...(user === undefined ? {} : { user }),
      ...(Object.keys(some).length === 0 ? {} : { arguments: some }),
    };
    if (Object.keys(body).length === 0)
      throw new WakeshiftError("bad_request", "Say whose or which subscriptions to end: event, user or args.");
    const { client, monotonic, timeoutMs } = this.#engine;
    const { ended } = await client.send("POST", "/event-subscriptions/end-matching", body, monotonic() + timeoutMs);
    return typeof ended === "number" ? ended : 0;
  }

  /**
   * Deletes all the core keeps for one of your users: subscriptions, the conversations behind them, and personal occurrences that
   * nobody else was named in. What they subscribe afterwards is kept again. false: there was nothing.
   * @throws WakeshiftError `bad_request` for a blank user, and as every call to the core
   */
  forgetUser(user: string): Promise<boolean> {
    return this.#failures.watch({ request: "forgetUser" }, this.#forgetUser(user));
  }

  async #forgetUser(user: string): Promise<boolean> {
    if (typeof user !== "string" || user.trim() === "")
      throw new WakeshiftError("bad_request", "Say whom to forget: a user's id, which isn't blank.");
    const { client, monotonic, timeoutMs } = this.#engine;
    const { forgotten } = await client.send("POST", "/users/forget", { user }, monotonic() + timeoutMs);
    return forgotten === true;
  }

  /** A function in `wrap` may know a tool by any name a client calls: only so many are kept. */
  #note(event: string, tool: string): void {
    const tools = this.#tools.get(event) ?? new Set();
    if (tools.size < LIMITS.toolsPerEvent) this.#tools.set(event, tools.add(tool));
  }

  async #emit(request: EmitRequest): Promise<Emitted> {
    const { publisher, monotonic, timeoutMs } = this.#engine;
    return readEmitAnswer(await publisher.send("/events/emit", request, monotonic() + timeoutMs));
  }
}
