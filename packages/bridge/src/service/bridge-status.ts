import type { ProgramName } from "@wakeshift/protocol";
import type { CoreLink } from "../stream/core-link.ts";
import type {
  ConversationStatus,
  CoreStatus,
  HeldStatus,
  ListedTicket,
  MutedStatus,
  PendingStatus,
  RefusedTool,
  StatusAnswer,
} from "../local-api.ts";
import type { PendingWake, PendingWakes } from "../state/pending-wakes.ts";
import type { Settings } from "../state/settings.ts";
import type { Outbox } from "../state/outbox.ts";
import { conversationKey } from "../state/conversations.ts";
import type { Subscriptions } from "../state/subscriptions.ts";
import type { Ticket } from "../state/ticket-book.ts";
import type { Trust } from "../trust/trust.ts";
import type { Cores } from "./cores.ts";

export interface StatusParts {
  readonly subscriptions: Subscriptions;
  readonly pending: PendingWakes;
  readonly trust: Trust;
  readonly settings: Settings;
  readonly outbox: Outbox;
  readonly cores: Cores;
  readonly stateOf: (wake: PendingWake) => { readonly state: PendingStatus["state"]; readonly detail: string };
  readonly refusedTools: readonly RefusedTool[];
  readonly setAside: readonly string[];
  readonly isOpen: (program: ProgramName, conversation: string) => boolean;
  readonly identity: Pick<StatusAnswer, "pid" | "version" | "since">;
  readonly supervisor: () => number;
}

/** What `wakeshift status` shows. No secret stands in it. */
export function bridgeStatus(parts: StatusParts): StatusAnswer {
  const { subscriptions, pending, trust, outbox, settings, stateOf } = parts;
  const tickets = subscriptions.tickets.all();
  const waiting = tickets.filter((ticket) => trust.decide(ticket.origin, ticket.app.id) === "waiting");
  const origins = [...new Set(tickets.map((ticket) => ticket.origin))].sort();
  return {
    ...parts.identity,
    supervisor: parts.supervisor(),
    cores: origins.map((origin) =>
      coreStatus(
        parts,
        origin,
        tickets.filter((ticket) => ticket.origin === origin),
      ),
    ),
    subscriptions: subscriptions.tickets.current().length,
    waiting_for_answer: [...new Set(waiting.map((ticket) => ticket.origin))].sort().map((origin) => {
      const ofOrigin = waiting.filter((ticket) => ticket.origin === origin);
      return { origin, apps: [...new Set(ofOrigin.map((ticket) => ticket.app.id))], subscriptions: ofOrigin.length };
    }),
    muted: mutedStatus(tickets, trust),
    conversations: subscribedConversations(parts),
    refused_tools: parts.refusedTools,
    set_aside: parts.setAside,
    pending: pending.all().map((wake) => ({
      occurrence: wake.occurrence,
      subscription: wake.subscriptions[0]?.id ?? "",
      program: wake.program,
      conversation: wake.conversation,
      since: new Date(wake.receivedAt).toISOString(),
      ...stateOf(wake),
    })),
    unsent_acks: outbox.size,
    ...(pending.last === undefined ? {} : { last_wake: pending.last }),
    settings: settings.current,
  };
}

function subscribedConversations({ subscriptions, isOpen }: StatusParts): readonly ConversationStatus[] {
  const found = new Map<string, ConversationStatus>();
  for (const { program, conversation } of subscriptions.tickets.current()) {
    const key = conversationKey(program, conversation);
    const known = found.get(key) ?? { program, conversation, subscriptions: 0, open: isOpen(program, conversation) };
    found.set(key, { ...known, subscriptions: known.subscriptions + 1 });
  }
  return [...found.values()];
}

/** What `wakeshift list` shows. */
export function listTickets(subscriptions: Subscriptions, trust: Trust): readonly ListedTicket[] {
  return subscriptions.tickets.current().map((ticket) => {
    const decision = trust.decide(ticket.origin, ticket.app.id);
    return {
      id: ticket.id,
      origin: ticket.origin,
      app: ticket.app,
      event: ticket.event,
      arguments: ticket.arguments,
      program: ticket.program,
      conversation: ticket.conversation,
      once: ticket.once,
      expires_at: new Date(ticket.expiresAt).toISOString(),
      state: decision === "allowed" ? (subscriptions.tickets.isStranded(ticket) ? "stranded" : "live") : REFUSED[decision],
    };
  });
}

const REFUSED = { denied: "denied", waiting: "waiting_for_answer" } as const;

function mutedStatus(tickets: readonly Ticket[], trust: Trust): readonly MutedStatus[] {
  const muted = new Map<string, MutedStatus>();
  for (const { origin, app } of tickets.filter((ticket) => trust.decide(ticket.origin, ticket.app.id) === "denied")) {
    const subject = trust.decideOthers(origin) === "denied" ? { origin } : { origin, app };
    const key = JSON.stringify([origin, subject.app?.id]);
    muted.set(key, { ...subject, subscriptions: (muted.get(key)?.subscriptions ?? 0) + 1 });
  }
  return [...muted.values()];
}

function coreStatus(parts: StatusParts, origin: string, tickets: readonly Ticket[]): CoreStatus {
  const links = [...new Set(tickets.map((ticket) => ticket.base))].flatMap((base) => parts.cores.find(base) ?? []);
  const streams = links.reduce((sum, link) => sum + link.readyStreams, 0);
  const ways = links.flatMap((link) => link.way ?? []);
  const way = ways.find((one) => one === "poll") ?? ways[0];
  const allowed = tickets.some((ticket) => parts.trust.decide(ticket.origin, ticket.app.id) === "allowed");
  const held = heldStatus(links);
  const away = links.find((link) => link.detail !== "")?.detail;
  const isWaiting = tickets.some((ticket) => parts.trust.decide(ticket.origin, ticket.app.id) === "waiting");
  const detail = !allowed
    ? isWaiting
      ? "waits for your answer"
      : "muted, since you denied it"
    : held === undefined
      ? (away ?? "")
      : describeHeld(held);
  const facts = {
    origin,
    allowed,
    local: parts.trust.isLocal(origin),
    connected: way !== undefined,
    ...(way === undefined ? {} : { way }),
    streams,
    subscriptions: tickets.length,
    detail,
  };
  return held === undefined ? facts : { ...facts, held };
}

function heldStatus(links: readonly CoreLink[]): HeldStatus | undefined {
  const subscriptions = new Set(links.flatMap((link) => link.held().map((ticket) => ticket.id))).size;
  if (subscriptions === 0) return undefined;
  return { subscriptions, because: links.some((link) => link.answering?.kind === "unproven") ? "unproven" : "other_core" };
}

function describeHeld({ subscriptions, because }: HeldStatus): string {
  const kept = `${String(subscriptions)} ${subscriptions === 1 ? "subscription is" : "subscriptions are"} kept until theirs is back`;
  return because === "unproven"
    ? `what answers at this address can't prove that it is the core started on this machine: nothing was sent to it; ${kept}`
    : `another core answers at this address: ${kept}`;
}
