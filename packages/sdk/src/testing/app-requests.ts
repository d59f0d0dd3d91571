import {
  LIMITS,
  WakeshiftError,
  additionOf,
  argumentsText,
  assertOpen,
  assertPlainJson,
  callerOf,
  canonicalJson,
  cutToBytes,
  defaultText,
  emitRecipients,
  formatOccurrenceId,
  formatSecret,
  formatSubscriptionId,
  mayUseConversation,
  occurrenceIdOf,
  recognizeCall,
  routeText,
  sessionKeyOf,
  unknownSession,
  userWithoutSession,
  splitArguments,
  subscribeTerms,
  viaOf,
  matchesFilter,
} from "@wakeshift/protocol";
import type {
  CallFacts,
  EmitAnswer,
  EmitRequest,
  EndMatchingRequest,
  EndRequest,
  EndedAnswer,
  ListAnswer,
  ListRequest,
  ManifestAnswer,
  ManifestRequest,
  RollbackRequest,
  SubscribeAnswer,
  SubscribeRequest,
  UnsubscribeRequest,
} from "@wakeshift/protocol";
import { assertFields } from "./assert-fields.ts";
import { EventBook } from "./event-book.ts";
import type { PublishedEvent } from "./event-book.ts";
import { OccurrenceBook } from "./occurrence-book.ts";
import { SubscriptionBook } from "./subscription-book.ts";
import type { Conversation, KeptSubscription, SubscriptionFilter } from "./subscription-book.ts";

/** There is no database that an id could be made with. */
const CORE_ID = `core_${"0".repeat(32)}`;

/** How long a core states a closing to whoever publishes the event. */
const STATED_MS = 60_000;

/** Which app asks, and where what is decided comes from outside. */
export interface AppRequestsOptions {
  readonly core: string;
  readonly app: { readonly id: string; readonly name: string };
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
}

/** Answers the app API for one app, by the rules every core has, from memory. */
export class AppRequests {
  readonly events: EventBook = new EventBook();
  readonly occurrences: OccurrenceBook = new OccurrenceBook();
  readonly subscriptions: SubscriptionBook = new SubscriptionBook();
  readonly #options: AppRequestsOptions;
  /** The last closing of each event that had one. */
  readonly #closings: Map<string, { readonly ended: number; readonly at: number }> = new Map();

  constructor(options: AppRequestsOptions) {
    this.#options = options;
  }

  /** @throws WakeshiftError as a core answers it */
  answer(method: string, path: string, body: unknown): object | Promise<object> {
    assertFields(body);
    switch (`${method} ${path}`) {
      case "GET /app":
        return { ...this.#options.app, key: { key_id: "test", name: "test" } };
      case "PUT /manifest":
        return this.#publish(body as ManifestRequest);
      case "POST /events/emit":
        return this.#emit(body as EmitRequest);
      case "POST /event-subscriptions":
        return this.#subscribe(body as SubscribeRequest);
      case "POST /event-subscriptions/rollback":
        return { ended: this.subscriptions.rollback((body as RollbackRequest).call_id, this.#options.now()) } satisfies EndedAnswer;
      case "POST /event-subscriptions/unsubscribe":
        return this.#unsubscribe(body as UnsubscribeRequest);
      case "POST /event-subscriptions/end":
        return this.#end(body as EndRequest);
      case "POST /event-subscriptions/end-matching":
        return this.#endMatching(body as EndMatchingRequest);
      case "POST /users/forget":
        return this.#forget(body as { readonly user?: unknown });
      case "POST /event-subscriptions/list":
        return this.#list(body as ListRequest);
      default:
        throw new WakeshiftError("unsupported", `A core for tests doesn't have ${method} ${path}.`);
    }
  }

  #publish(manifest: ManifestRequest): ManifestAnswer {
    const { changed, events, closed } = this.events.publish(manifest);
    const now = this.#options.now();
    for (const name of closed) {
      const ended = this.subscriptions.end({ event: name }, "revoked", now, ({ terms }) => terms.via !== "tool");
      this.#closings.set(name, { ended, at: now });
    }
    const published = manifest.events.map(({ name }) => this.events.find(name));
    const stranded = published
      .map(({ name, shape }) => ({
        name,
        live: this.subscriptions.list({ event: name }, now).filter((kept) => kept.shape !== shape).length,
      }))
      .filter(({ live }) => live > 0);
    const stated = published.flatMap(({ name, access }) => {
      const closing = access.length === 0 ? this.#closings.get(name) : undefined;
      return closing === undefined || now - closing.at >= STATED_MS ? [] : [{ name, ended: closing.ended }];
    });
    return { events, changed, closed: stated, ...(stranded.length === 0 ? {} : { stranded }) };
  }

  async #emit(request: EmitRequest): Promise<EmitAnswer> {
    const { app, now } = this.#options;
    const event = this.events.find(request.name);
    const args = checkedArguments(event, request.arguments);
    const payload = checkedPayload(event, request.payload);
    const id = await this.#occurrenceId(request.id);
    const routes = emitRecipients({ name: event.name, personal: isPersonal(event) }, request.to).map((user) =>
      routeOf(app.id, event, args.values, user),
    );
    const emittedAt = now();
    const live = this.subscriptions.list({ event: event.name }, emittedAt);
    const { occurrence, duplicate } = this.occurrences.emit({
      id,
      event: event.name,
      argumentsText: args.text,
      arguments: args.values,
      payload: request.payload,
      text: cutToBytes(request.text ?? defaultText(event.description, payload), LIMITS.textBytes),
      emittedAt,
      routes,
      matched: live.filter(({ route }) => routes.includes(route)).length,
    });
    return { id: occurrence.id, matched: occurrence.matched, connected: 0, duplicate };
  }

  #subscribe(request: SubscribeRequest): SubscribeAnswer {
    const { core, app, now, randomBytes } = this.#options;
    const { call } = request;
    const event = this.events.find(request.name);
    const via = viaOf(request.via, call.tool);
    assertOpen(event, via);
    if (request.native === true || via === "native") throw new WakeshiftError("unsupported", "A core for tests serves no MCP Events.");
    const caller = callerOf(call);
    if (isPersonal(event) && caller.user === undefined)
      throw new WakeshiftError("user_required", `${event.name} is personal: it needs a signed-in user, and this call has none.`);
    const args = checkedArguments(event, request.arguments);
    const createdAt = now();
    const terms = subscribeTerms(request, createdAt);
    if (this.subscriptions.isClosed(call.call_id))
      throw new WakeshiftError("no_call", "This tool call was rolled back, so nothing can be subscribed in it any more.");
    const conversation = this.#conversation(call) ?? {
      ...caller,
      id: `cnv_${hex(randomBytes(16))}`,
      sessionKey: formatSecret("session", randomBytes(32)),
    };
    const route = routeOf(app.id, event, args.values, isPersonal(event) ? caller.user : undefined);
    const filter = splitArguments(event.argumentsSchema, args.values).optional;
    const agent = recognizeCall(call);
    const made = this.subscriptions.subscribe(
      {
        id: formatSubscriptionId(randomBytes(16)),
        event: event.name,
        route,
        shape: event.shape,
        arguments: args.text,
        filter,
        conversation,
        createdAt,
        start: this.occurrences.startOf({ route, filter }, terms.replaySince),
      },
      { ...terms, harness: agent.harness, via, tool: call.tool ?? "", onceAfter: this.occurrences.newest },
      call.call_id,
    );
    if (typeof made === "string")
      throw new WakeshiftError("subscription_limit", `This ${made} has as many live subscriptions as it may have; end one first.`);
    const { created, subscription } = made;
    const { once, expiresAt } = subscription.terms;
    return {
      state: "subscribed",
      event_subscription: { id: subscription.id, created, expires_at: new Date(expiresAt).toISOString(), once },
      session: conversation.sessionKey,
      agent: { ...(agent.harness === undefined ? {} : { harness: agent.harness }), via: agent.by },
      addition: additionOf({
        created,
        core,
        coreId: CORE_ID,
        app,
        id: subscription.id,
        event: event.name,
        arguments: args.values,
        once,
        expiresAt,
        program: agent.harness,
        tool: call.tool ?? "",
        ticket: formatSecret("ticket", randomBytes(32)),
        sessionKey: conversation.sessionKey,
      }),
    };
  }

  #unsubscribe({ call, name, arguments: args, id }: UnsubscribeRequest): EndedAnswer {
    if (name === undefined && id === undefined) throw new WakeshiftError("bad_request", "Say in `id` or `name` which subscription to end.");
    const filter = { ...this.#callersOwn(call), ...filterOf({ id, event: name, arguments: args }) };
    return { ended: this.subscriptions.end(filter, "unsubscribed", this.#options.now()) };
  }

  #end({ id, user }: EndRequest): EndedAnswer {
    return { ended: this.subscriptions.end(filterOf({ id, user }), "ended", this.#options.now()) };
  }

  #endMatching(request: EndMatchingRequest): EndedAnswer {
    const { event, user, arguments: args } = request;
    const some = args ?? {};
    argumentsText(some);
    const filter = filterOf({ event, user });
    if (Object.keys(filter).length === 0 && Object.keys(some).length === 0)
      throw new WakeshiftError("bad_request", "Say in `event`, `user` or `arguments` which subscriptions to end.");
    const has = (text: string): boolean => matchesFilter(some, JSON.parse(text) as Record<string, unknown>, undefined);
    return { ended: this.subscriptions.end(filter, "ended", this.#options.now(), (kept) => has(kept.arguments)) };
  }

  #forget({ user }: { readonly user?: unknown }): { readonly forgotten: boolean } {
    if (typeof user !== "string" || user.trim() === "")
      throw new WakeshiftError("bad_request", "Say in `user` whom to forget; a blank one is nobody.");
    const subscriptions = this.subscriptions.forget(user);
    // By whatever arguments its event required then, a personal occurrence's route ends with its user.
    const occurrences = this.occurrences.forget(({ routes }) =>
      routes.find((route) => (JSON.parse(route) as readonly unknown[])[4] === user),
    );
    return { forgotten: subscriptions || occurrences };
  }

  #list({ call, user }: ListRequest): ListAnswer {
    if (user === "" || (call === undefined && user === undefined))
      throw new WakeshiftError("bad_request", "Say in `call` or `user` whose subscriptions to list.");
    const filter = call === undefined ? filterOf({ user }) : this.#callersOwn(call);
    return { subscriptions: this.subscriptions.list(filter, this.#options.now()).map(listed) };
  }

  /** A session key that isn't this caller's is ignored, never adopted. */
  #conversation(call: CallFacts): Conversation | undefined {
    const conversation = this.subscriptions.conversation(sessionKeyOf(call));
    return mayUseConversation(conversation, callerOf(call)) ? conversation : undefined;
  }

  #callersOwn(call: CallFacts): SubscriptionFilter {
    const user = userWithoutSession(call);
    if (user !== undefined) return { user };
    const conversation = this.#conversation(call);
    if (conversation !== undefined) return { conversation: conversation.id };
    throw unknownSession(call);
  }

  async #occurrenceId(authorId: string | undefined): Promise<string> {
    const { app, now, randomBytes } = this.#options;
    if (authorId === undefined) return formatOccurrenceId(randomBytes(10), now());
    const bytes = new TextEncoder().encode(authorId).length;
    if (bytes === 0 || bytes > LIMITS.occurrenceIdBytes)
      throw new WakeshiftError("bad_request", `id must be 1 to ${String(LIMITS.occurrenceIdBytes)} bytes; leave it out to get one made.`);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${app.id}\n${authorId}`));
    return occurrenceIdOf(authorId, hex(new Uint8Array(digest)));
  }
}

function checkedArguments(
  event: PublishedEvent,
  args: Readonly<Record<string, unknown>> = {},
): { readonly text: string; readonly values: Readonly<Record<string, unknown>> } {
  const text = argumentsText(args);
  const fault = event.checkArguments(args);
  if (fault !== undefined) throw new WakeshiftError("bad_arguments", `The arguments of ${event.name} don't match its schema: ${fault}.`);
  return { text, values: JSON.parse(text) as Readonly<Record<string, unknown>> };
}

function checkedPayload(event: PublishedEvent, payload: unknown): string {
  assertPlainJson(payload, "bad_payload", "payload");
  const text = JSON.stringify(payload);
  if (new TextEncoder().encode(text).length > LIMITS.payloadBytes)
    throw new WakeshiftError("payload_too_large", `The payload is larger than ${String(LIMITS.payloadBytes)} bytes of JSON.`);
  const fault = event.checkPayload(payload);
  if (fault !== undefined) throw new WakeshiftError("bad_payload", `The payload of ${event.name} doesn't match its schema: ${fault}.`);
  return text;
}

function isPersonal(event: PublishedEvent): boolean {
  return event.access.includes("personal");
}

function routeOf(app: string, event: PublishedEvent, args: Readonly<Record<string, unknown>>, user: string | undefined): string {
  const parts = { app, event: event.name, required: splitArguments(event.argumentsSchema, args).required };
  return routeText(user === undefined ? parts : { ...parts, user });
}

interface Wanted {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly user?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

function filterOf({ id, event, user, arguments: args }: Wanted): SubscriptionFilter {
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
    ...(user === undefined ? {} : { user }),
    ...(args === undefined ? {} : { arguments: canonicalJson(args) }),
  };
}

function listed({ id, event, arguments: args, terms, createdAt }: KeptSubscription): ListAnswer["subscriptions"][number] {
  return {
    id,
    event,
    arguments: JSON.parse(args) as Readonly<Record<string, unknown>>,
    destination: "bridge",
    once: terms.once,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(terms.expiresAt).toISOString(),
  };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
