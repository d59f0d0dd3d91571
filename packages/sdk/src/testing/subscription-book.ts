import { LIMITS } from "@wakeshift/protocol";
import type { Caller, EndedReason, SubscribeTerms, Via } from "@wakeshift/protocol";

/** An agent's conversation, as a core knows it. */
export interface Conversation extends Caller {
  readonly id: string;
  readonly sessionKey: string;
}

/** What a subscribe or a renewal sets. */
export interface Terms extends SubscribeTerms {
  readonly harness: string | undefined;
  readonly via: Via;
  readonly tool: string;
  /** A `once` ends with the first delivery after this. */
  readonly onceAfter: number;
}

/** What one call asked for; taken off again if that call fails. */
interface Layer {
  readonly callId: string | undefined;
  readonly terms: Terms;
}

/** What a subscribe makes, beside its terms. */
export interface NewSubscription {
  readonly id: string;
  readonly event: string;
  /** Canonical JSON. */
  readonly arguments: string;
  readonly conversation: Conversation;
  readonly createdAt: number;
  /** It gets what comes after this, by this route, past this filter. */
  readonly start: number;
  readonly route: string;
  readonly filter: Readonly<Record<string, unknown>>;
  /** What its event's routes were made of when it was made. */
  readonly shape: string;
}

/** One subscription. Its layers, oldest first, say what it is now and what it is again when calls fail. */
export interface KeptSubscription extends NewSubscription {
  readonly terms: Terms;
  /** The calls that stand behind it; `undefined` stands for one without an id. */
  readonly calls: readonly (string | undefined)[];
  readonly handed: Set<number>;
}

interface Entry extends NewSubscription {
  layers: readonly [Layer, ...Layer[]];
  readonly handed: Set<number>;
  ended: EndedReason | undefined;
}

/** Which subscriptions are meant. Every given field must match. */
export interface SubscriptionFilter {
  readonly id?: string;
  readonly event?: string;
  readonly user?: string;
  readonly conversation?: string;
  readonly arguments?: string;
}

/** The subscriptions of one app, and which calls made and renewed them. */
export class SubscriptionBook {
  readonly #entries: Map<string, Entry> = new Map();
  readonly #conversations: Map<string, Conversation> = new Map();
  readonly #closedCalls: Set<string> = new Set();

  conversation(sessionKey: string | undefined): Conversation | undefined {
    return sessionKey === undefined ? undefined : this.#conversations.get(sessionKey);
  }

  isClosed(callId: string | undefined): boolean {
    return callId !== undefined && this.#closedCalls.has(callId);
  }

  /** The conversation, or its user, or without one all callers without one together, may have as many as they have: who is full. */
  subscribe(
    facts: NewSubscription,
    terms: Terms,
    callId: string | undefined,
  ): { readonly created: boolean; readonly subscription: KeptSubscription } | "conversation" | "caller" {
    const now = facts.createdAt;
    const { id, user } = facts.conversation;
    const callers = this.#live(now).filter((entry) => entry.conversation.user === user);
    const own = callers.filter((entry) => entry.conversation.id === id);
    const same = own.find((entry) => entry.event === facts.event && entry.arguments === facts.arguments && entry.route === facts.route);
    if (same !== undefined) {
      renew(same, terms, callId);
      return { created: false, subscription: seen(same) };
    }
    if (own.length >= LIMITS.subscriptionsPerConversation) return "conversation";
    if (callers.length >= (user === undefined ? LIMITS.subscriptionsOfAnonymous : LIMITS.subscriptionsPerUser)) return "caller";
    this.#conversations.set(facts.conversation.sessionKey, facts.conversation);
    const entry: Entry = {
      ...facts,
      layers: [{ callId, terms: { ...terms, onceAfter: facts.start } }],
      handed: new Set(),
      ended: undefined,
    };
    this.#entries.set(facts.id, entry);
    return { created: true, subscription: seen(entry) };
  }

  /** Takes off what one call did, and refuses what comes of it later. Answers how many ended by that. */
  rollback(callId: string, now: number): number {
    this.#closedCalls.add(callId);
    let ended = 0;
    for (const entry of this.#live(now)) {
      const [first, ...others] = entry.layers.filter((layer) => layer.callId !== callId);
      if (first !== undefined) entry.layers = [first, ...others];
      else {
        entry.ended = "rolled_back";
        ended += 1;
      }
    }
    return ended;
  }

  list(filter: SubscriptionFilter, now: number): readonly KeptSubscription[] {
    return this.#live(now)
      .filter((entry) => matches(entry, filter))
      .map(seen);
  }

  /** Ends those that match and pass `also`; answers how many. */
  end(filter: SubscriptionFilter, reason: EndedReason, now: number, also: (kept: KeptSubscription) => boolean = () => true): number {
    const meant = this.#live(now).filter((entry) => matches(entry, filter) && also(seen(entry)));
    for (const entry of meant) entry.ended = reason;
    return meant.length;
  }

  /** Deletes what there is of one user. false: nothing. */
  forget(user: string): boolean {
    const entries = [...this.#entries.values()].filter((entry) => entry.conversation.user === user);
    for (const { id, conversation } of entries) {
      this.#entries.delete(id);
      this.#conversations.delete(conversation.sessionKey);
    }
    return entries.length > 0;
  }

  #live(now: number): readonly Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.ended === undefined && seen(entry).terms.expiresAt > now);
  }
}

function seen(entry: Entry): KeptSubscription {
  return { ...entry, calls: entry.layers.map((layer) => layer.callId), terms: (entry.layers.at(-1) ?? entry.layers[0]).terms };
}

function matches(entry: Entry, filter: SubscriptionFilter): boolean {
  const { id, event, conversation, arguments: args } = entry;
  const facts = { id, event, arguments: args, conversation: conversation.id, user: conversation.user };
  return Object.entries(filter).every(([field, wanted]) => facts[field as keyof SubscriptionFilter] === wanted);
}

/** A subscription that a tool made, or renews, counts as the tool's from then on. */
function renew(entry: Entry, asked: Terms, callId: string | undefined): void {
  const { terms } = seen(entry);
  const { via, tool } = asked.via === "tool" || terms.via !== "tool" ? asked : terms;
  const layer = { callId, terms: { ...asked, via, tool, harness: asked.harness ?? terms.harness } };
  // A renewal outside any call can't be rolled back, so no failed call may end what it renewed.
  const below = callId === undefined ? [] : entry.layers.filter((each) => each.callId !== callId);
  const [first, ...others] = [...below, layer];
  if (first !== undefined) entry.layers = [first, ...others];
}
