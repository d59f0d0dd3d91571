import { readFileSync } from "node:fs";
import { PROGRAMS } from "@wakeshift/protocol";
import { z } from "zod";
import type { Conversation } from "./conversations.ts";
import { Conversations } from "./conversations.ts";
import { readDocument, soundEntries } from "../files/document.ts";
import { SavedDocument } from "../files/saved-document.ts";
import { Holder } from "./holder.ts";
import type { StateReports } from "../files/state-reports.ts";
import type { Ticket } from "./ticket-book.ts";
import { TicketBook } from "./ticket-book.ts";

const ticketSchema: z.ZodType<Ticket> = z.object({
  base: z.string().refine((text) => URL.canParse(text)),
  origin: z.string(),
  coreId: z.exactOptional(z.string()),
  ticket: z.string(),
  ticketId: z.string(),
  id: z.string(),
  app: z.object({ id: z.string(), name: z.string() }),
  event: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  once: z.boolean(),
  expiresAt: z.number(),
  program: z.enum(PROGRAMS),
  conversation: z.string(),
  supersededBy: z.exactOptional(z.string()),
});

const conversationSchema: z.ZodType<Conversation> = z.object({
  program: z.enum(PROGRAMS),
  conversation: z.string(),
  unattended: z.boolean(),
  lifecycle: z.enum(["opened", "working", "idle", "closed"]),
  pid: z.exactOptional(z.number()),
  pidTag: z.exactOptional(z.string()),
  facts: z.record(z.string(), z.string()),
});

const documentSchema = z.object({
  v: z.literal(1),
  /** Absent in a file from before it was kept here, too. */
  holder: z.string().optional().catch(undefined),
  tickets: z.array(z.unknown()),
  conversations: z.array(z.unknown()),
});

/** The tickets by what the bridge left on disk, for when none runs. None where they can't be read. */
export function readTickets(path: string): TicketBook {
  try {
    const document = documentSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return new TicketBook(soundEntries(document.data?.tickets ?? [], ticketSchema));
  } catch {
    return new TicketBook([]);
  }
}

/** Tickets and their conversations, kept in one file, so that they are always of one moment. */
export class Subscriptions {
  readonly tickets: TicketBook;
  readonly conversations: Conversations;
  /** The secret that the tickets are bound to. */
  readonly holder: Holder;
  readonly #document: SavedDocument;

  /** @param holderPath - the file of the holder's secret */
  constructor(path: string, holderPath: string, reports: StateReports) {
    const read = readDocument(path, documentSchema, reports.corrupt);
    this.holder = new Holder(holderPath, read?.holder, reports.corrupt);
    this.tickets = new TicketBook(soundEntries(read?.tickets ?? [], ticketSchema));
    this.conversations = new Conversations(soundEntries(read?.conversations ?? [], conversationSchema));
    this.#document = new SavedDocument({
      path,
      snapshot: () => ({ v: 1, holder: this.holder.secret, tickets: this.tickets.all(), conversations: this.conversations.all() }),
      onFailure: reports.failed(path),
      retryMs: reports.retryMs,
    });
  }

  save(): Promise<boolean> {
    return this.#document.save();
  }
}
