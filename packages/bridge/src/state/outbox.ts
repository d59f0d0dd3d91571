import type { AckState } from "@wakeshift/protocol";
import { z } from "zod";
import { readDocument, soundEntries } from "../files/document.ts";
import { SavedDocument } from "../files/saved-document.ts";
import type { StateReports } from "../files/state-reports.ts";
import type { Ticket } from "./ticket-book.ts";

/** What a core has to be told. Kept until it got through. */
export type Errand =
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
export function endingOf(ticket: Pick<Ticket, "base" | "app" | "coreId" | "ticket">, since: number): Errand {
  return { kind: "end", base: ticket.base, app: ticket.app.id, ...ofCore(ticket), ticket: ticket.ticket, since };
}

/** The core something belongs to, as a field that is left out if it isn't known. */
export function ofCore({ coreId }: { readonly coreId?: string }): { readonly coreId?: string } {
  return coreId === undefined ? {} : { coreId };
}

/** A core keeps nothing that could be acked longer. */
const KEPT_MS = 31 * 86_400_000;
const MOST_ERRANDS = 20_000;

const base = z.string().refine((text) => URL.canParse(text));

const errandSchema: z.ZodType<Errand> = z.discriminatedUnion("kind", [
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
  readonly #errands = new Map<string, Errand>();
  readonly #document: SavedDocument;

  constructor(path: string, reports: StateReports) {
    const read = readDocument(path, documentSchema, reports.corrupt);
    for (const errand of soundEntries(read?.errands ?? [], errandSchema)) this.#errands.set(errandKey(errand), errand);
    this.#document = new SavedDocument({
      path,
      snapshot: () => ({ v: 1, errands: [...this.#errands.values()] }),
      onFailure: reports.failed(path),
      retryMs: reports.retryMs,
    });
  }

  get size(): number {
    return this.#errands.size;
  }

  bases(): readonly string[] {
    return [...new Set([...this.#errands.values()].map((errand) => errand.base))];
  }

  ofCore(base: string): readonly Errand[] {
    return [...this.#errands.values()].filter((errand) => errand.base === base);
  }

  /** Resolves when it is on disk. */
  add(errands: readonly Errand[]): Promise<boolean> {
    for (const errand of errands) this.#errands.set(errandKey(errand), errand);
    return this.#document.save();
  }

  done(errands: readonly Errand[]): void {
    for (const errand of errands) this.#errands.delete(errandKey(errand));
    void this.#document.save();
  }

  /** Drops what can't matter any more, the oldest first; answers how many. */
  prune(now: number): number {
    const before = this.#errands.size;
    let surplus = before - MOST_ERRANDS;
    for (const [key, errand] of this.#errands) {
      if (now - errand.since > KEPT_MS || surplus > 0) this.#errands.delete(key);
      surplus -= 1;
    }
    if (this.#errands.size !== before) void this.#document.save();
    return before - this.#errands.size;
  }
}

function errandKey(errand: Errand): string {
  return errand.kind === "ack"
    ? `ack\n${errand.base}\n${errand.ticket}\n${errand.occurrence}\n${errand.state}`
    : `end\n${errand.base}\n${errand.ticket}`;
}
