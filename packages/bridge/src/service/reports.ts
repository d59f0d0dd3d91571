import { requireSaved } from "../files/require-saved.ts";
import type { ReportAnswer, ReportRequest } from "../local-api.ts";
import type { PendingWakes } from "../state/pending-wakes.ts";
import { ownCommand } from "@wakeshift/programs/machine";
import { ticketIdOf } from "../state/ticket-book.ts";
import { readSubscriptionEntries } from "../state/subscription-entries.ts";
import type { ReadEntries, SubscriptionEntry } from "../state/subscription-entries.ts";
import type { RefusedTools } from "../state/refused-tools.ts";
import type { Subscriptions } from "../state/subscriptions.ts";
import type { Trust } from "../trust/trust.ts";

export interface ReportsParts {
  readonly subscriptions: Subscriptions;
  readonly pending: PendingWakes;
  readonly trust: Trust;
  readonly refusedTools: RefusedTools;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  /** The conversation's marker file and links follow. */
  readonly onChange: (program: ReportRequest["program"], conversation: string) => void;
  readonly onTickets: () => void;
  readonly log: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

const MOST_TICKETS = 5_000;
/** Of cores that the user hasn't allowed: enough to show them, too few to fill the disk. */
const MOST_NOT_ALLOWED = 200;

/** Takes what hooks and plugins report. */
export class Reports {
  readonly #parts: ReportsParts;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  /**
   * Keeps tickets and the conversation's state. What was accepted is on disk when this resolves.
   *
   * @throws WakeshiftError `storage_full` where it counts, but isn't on disk.
   */
  async report(request: ReportRequest): Promise<ReportAnswer> {
    const { subscriptions, pending } = this.#parts;
    const { program, conversation } = request;
    const read = readSubscriptionEntries(request.results);
    this.#noteTools(program, read);
    const entries = read.entries.filter(({ core, ticket }) => !subscriptions.tickets.isOver(core.base, ticketIdOf(ticket)));
    const taken = entries.filter((entry) => this.#take(entry, request)).length;
    const live = subscriptions.tickets
      .current()
      .filter((ticket) => ticket.program === program && ticket.conversation === conversation).length;
    let saved = true;
    if (live > 0 || pending.ofConversation(program, conversation).length > 0) {
      subscriptions.conversations.report(program, request);
      saved = await subscriptions.save();
    }
    if (taken > 0) this.#parts.onTickets();
    this.#parts.onChange(program, conversation);
    const refused = read.refused + entries.length - taken;
    if (refused > 0) this.#parts.log("entries refused", { program, conversation, refused });
    requireSaved(saved);
    const waiting = this.#waiting(program, conversation);
    const notice = request.can_notice === true ? this.#notice(waiting) : undefined;
    return { accepted: taken, refused, waiting, live, ...(notice === undefined ? {} : { notice }) };
  }

  #noteTools(program: ReportRequest["program"], { tools, misnamed }: ReadEntries): void {
    const { refusedTools, now } = this.#parts;
    for (const tool of tools) refusedTools.accepted(program, tool);
    for (const names of misnamed) refusedTools.refused({ program, ...names, at: new Date(now()).toISOString() });
  }

  #take(entry: SubscriptionEntry, request: ReportRequest): boolean {
    const { subscriptions, trust, log } = this.#parts;
    const decision = trust.decide(entry.core.origin, entry.app.id);
    const all = subscriptions.tickets.all();
    const notAllowed = all.filter((ticket) => trust.decide(ticket.origin, ticket.app.id) !== "allowed").length;
    if (all.length >= MOST_TICKETS || (decision !== "allowed" && notAllowed >= MOST_NOT_ALLOWED)) {
      log("too many subscriptions; a new one is refused", { tickets: all.length, notAllowed });
      return false;
    }
    subscriptions.tickets.add(entry, request.program, request.conversation);
    return true;
  }

  #waiting(program: string, conversation: string): readonly string[] {
    const { subscriptions, trust } = this.#parts;
    const waiting = subscriptions.tickets
      .ofConversation(program, conversation)
      .filter((ticket) => trust.decide(ticket.origin, ticket.app.id) === "waiting")
      .map((ticket) => ticket.origin);
    return [...new Set(waiting)];
  }

  /** Once per origin. Only the origin is named: everything else about it is the result's word. */
  #notice(waiting: readonly string[]): string | undefined {
    const fresh = waiting.filter((origin) => this.#parts.trust.claimNotice(origin));
    if (fresh.length === 0) return undefined;
    const answers = fresh.map((origin) => `${ownCommand(["allow"], [origin])} (or: ${ownCommand(["deny"], [origin])})`).join("; ");
    return `Wakeshift: ${fresh.join(", ")} would like to wake this conversation and waits for your answer. Nothing is contacted before. ${answers}`;
  }
}
