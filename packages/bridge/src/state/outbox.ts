import type { AckState } from "@wakeshift/protocol";
import { z } from "zod";
import { readDocument, soundEntries } from "../files/document.ts";
import { SavedDocument } from "../files/saved-document.ts";
import type { StateReports } from "../files/state-reports.ts";
import type { Ticket } from "./ticket-book.ts";

/** What a core has to be told. Kept until it got through. */
export type OutboxMessage =
  | {
      readonly kind: "ack";
      readonly base: string;
      /** Whose trust it needs. Absent in files of older versions. */
      readonly app?: string;
      /** Whose ticket it is. Absent: of whichever core answers there. */
      readonly coreId?: string;
      readonly ticket: string;
      readonly occurrence: string;
      readonly state: AckState;
      readonly since: number;
    }
  | {
      readonly kind: "end";
      readonly base: string;
      readonly app?: string;
      readonly coreId?: string;
      readonly ticket: string;
      readonly since: number;
    };

/** What tells a core that one of its tickets is over. */
export function endingOf(ticket: Pick<Ticket, "base" | "app" | "coreId" | "ticket">, since: number): OutboxMessage {
  return { kind: "end", base: ticket.base, app: ticket.app.id, ...ofCore(ticket), ticket: ticket.ticket, since };
}

/** The core something belongs to, as a field that is left out if it isn't known. */
export function ofCore({ coreId }: { readonly coreId?: string }): { readonly coreId?: string } {
  return coreId === undefined ? {} : { coreId };
}

/** A core keeps nothing that could be acked longer. */
const KEPT_MS = 31 * 86_400_000;
const MOST_MESSAGES = 20_000;

const base = z.string().refine((text) => URL.canParse(text));

const messageSchema: z.ZodType<OutboxMessage> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ack"),
    base,
    app: z.exactOptional(z.string()),
    coreId: z.exactOptional(z.string()),
    ticket: z.string(),
    occurrence: z.string(),
    state: z.enum(["handed", "seen"]),
    since: z.number(),
  }),
  z.object({
    kind: z.literal("end"),
    base,
    app: z.exactOptional(z.string()),
    coreId: z.exactOptional(z.string()),
    ticket: z.string(),
    since: z.number(),
  }),
]);
const documentSchema = z.object({ v: z.literal(1), errands: z.array(z.unknown()) });

/** Acks and endings that cores haven't confirmed yet, kept in a file. */
export class Outbox {
  readonly #messages = new Map<string, OutboxMessage>();
  readonly #document: SavedDocument;

  constructor(path: string, reports: StateReports) {
    const read = readDocument(path, documentSchema, reports.corrupt);
    for (const message of soundEntries(read?.errands ?? [], messageSchema)) this.#messages.set(messageKey(message), message);
    this.#document = new SavedDocument({
      path,
      snapshot: () => ({ v: 1, errands: [...this.#messages.values()] }),
      onFailure: reports.failed(path),
      retryMs: reports.retryMs,
    });
  }

  get size(): number {
    return this.#messages.size;
  }

  bases(): readonly string[] {
    return [...new Set([...this.#messages.values()].map((message) => message.base))];
  }

  ofCore(base: string): readonly OutboxMessage[] {
    return [...this.#messages.values()].filter((message) => message.base === base);
  }

  /** Resolves when it is on disk. */
  add(messages: readonly OutboxMessage[]): Promise<boolean> {
    for (const message of messages) this.#messages.set(messageKey(message), message);
    return this.#document.save();
  }

  done(messages: readonly OutboxMessage[]): void {
    for (const message of messages) this.#messages.delete(messageKey(message));
    void this.#document.save();
  }

  /** Drops what can't matter any more, the oldest first; answers how many. */
  prune(now: number): number {
    const before = this.#messages.size;
    let surplus = before - MOST_MESSAGES;
    for (const [key, message] of this.#messages) {
      if (now - message.since > KEPT_MS || surplus > 0) this.#messages.delete(key);
      surplus -= 1;
    }
    if (this.#messages.size !== before) void this.#document.save();
    return before - this.#messages.size;
  }
}

function messageKey(message: OutboxMessage): string {
  return message.kind === "ack"
    ? `ack\n${message.base}\n${message.ticket}\n${message.occurrence}\n${message.state}`
    : `end\n${message.base}\n${message.ticket}`;
}
