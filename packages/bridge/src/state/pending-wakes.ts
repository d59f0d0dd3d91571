import { PROGRAMS } from "@wakeshift/protocol";
import type { ProgramName } from "@wakeshift/protocol";
import { z } from "zod";
import type { LastWake } from "../local-api.ts";
import { conversationKey } from "./conversations.ts";
import { lastWakeSchema } from "./last-wake.ts";
import { readDocument, soundEntries } from "../files/document.ts";
import { SavedDocument } from "../files/saved-document.ts";
import type { StateReports } from "../files/state-reports.ts";

/** One occurrence on its way into one conversation. Its content lies in the occurrence's file. */
export interface PendingWake {
  readonly program: ProgramName;
  readonly conversation: string;
  readonly base: string;
  readonly app: string;
  readonly occurrence: string;
  /** Wall clock, milliseconds. */
  readonly receivedAt: number;
  /** Every subscription of the conversation it came for. All of them are acked. */
  readonly subscriptions: readonly { readonly id: string; readonly ticketId: string; readonly ticket: string }[];
  /** The core it came from. Absent: from before cores had ids. */
  readonly coreId?: string;
  /** It was given to a taker or a program, and what became of it isn't known yet. */
  readonly delivery?: string;
}

/** An occurrence a conversation has had. Kept so that it is never shown again. */
interface HandedWake {
  readonly key: string;
  readonly at: number;
}

/** Longer than a core keeps occurrences, so that nothing it offers again is new here. */
const REMEMBERED_MS = 31 * 86_400_000;
const MOST_REMEMBERED = 50_000;

const pendingSchema: z.ZodType<PendingWake> = z.object({
  program: z.enum(PROGRAMS),
  conversation: z.string(),
  base: z.string(),
  app: z.string(),
  occurrence: z.string(),
  receivedAt: z.number(),
  subscriptions: z.array(z.object({ id: z.string(), ticketId: z.string(), ticket: z.string() })),
  coreId: z.exactOptional(z.string()),
  delivery: z.exactOptional(z.string()),
});
const handedSchema: z.ZodType<HandedWake> = z.object({ key: z.string(), at: z.number() });
const wokenSchema = z.object({ key: z.string(), at: z.array(z.number()) });
const documentSchema = z.object({
  v: z.literal(1),
  pending: z.array(z.unknown()),
  handed: z.array(z.unknown()),
  woken: z.array(z.unknown()),
  last: z.exactOptional(z.unknown()),
});

/** Which wake it is, for one conversation. */
export function wakeKey(wake: {
  readonly program: string;
  readonly conversation: string;
  readonly base: string;
  readonly app: string;
  readonly occurrence: string;
}): string {
  return [wake.program, wake.conversation, wake.base, wake.app, wake.occurrence].join("\n");
}

/** Pending wakes, the memory of what was handed, the newest of it, and when each conversation was woken; kept in one file. */
export class PendingWakes {
  readonly #pending = new Map<string, PendingWake>();
  readonly #handed = new Map<string, number>();
  readonly #woken = new Map<string, number[]>();
  #last: LastWake | undefined;
  readonly #document: SavedDocument;

  constructor(path: string, reports: StateReports) {
    const read = readDocument(path, documentSchema, reports.corrupt);
    for (const one of soundEntries(read?.pending ?? [], pendingSchema)) this.#pending.set(wakeKey(one), one);
    for (const one of soundEntries(read?.handed ?? [], handedSchema)) this.#handed.set(one.key, one.at);
    for (const one of soundEntries(read?.woken ?? [], wokenSchema)) this.#woken.set(one.key, one.at);
    this.#last = soundEntries([read?.last], lastWakeSchema)[0];
    this.#document = new SavedDocument({
      path,
      snapshot: () => this.#snapshot(),
      onFailure: reports.failed(path),
      retryMs: reports.retryMs,
    });
  }

  all(): readonly PendingWake[] {
    return [...this.#pending.values()];
  }

  ofConversation(program: string, conversation: string): readonly PendingWake[] {
    return this.all().filter((wake) => wake.program === program && wake.conversation === conversation);
  }

  find(key: string): PendingWake | undefined {
    return this.#pending.get(key);
  }

  put(wake: PendingWake): void {
    this.#pending.set(wakeKey(wake), wake);
  }

  remove(key: string): void {
    this.#pending.delete(key);
  }

  wasHanded(key: string): boolean {
    return this.#handed.has(key);
  }

  /** The wake has reached its conversation: it leaves, and is remembered. */
  hand(wake: PendingWake, now: number): void {
    const key = wakeKey(wake);
    this.#pending.delete(key);
    this.#handed.set(key, now);
  }

  /** The newest wake that reached its conversation. */
  get last(): LastWake | undefined {
    return this.#last;
  }

  setLast(last: LastWake): void {
    this.#last = last;
  }

  /** Wall-clock times of the conversation's latest wakes, oldest first. */
  wokenAt(program: string, conversation: string): readonly number[] {
    return this.#woken.get(conversationKey(program, conversation)) ?? [];
  }

  setWokenAt(program: string, conversation: string, at: readonly number[]): void {
    const key = conversationKey(program, conversation);
    if (at.length === 0) this.#woken.delete(key);
    else this.#woken.set(key, [...at]);
  }

  /** Forgets what no core can offer any more. */
  prune(now: number): void {
    const surplus = this.#handed.size - MOST_REMEMBERED;
    let place = 0;
    for (const [key, at] of this.#handed) {
      if (now - at > REMEMBERED_MS || place < surplus) this.#handed.delete(key);
      place += 1;
    }
  }

  save(): Promise<boolean> {
    return this.#document.save();
  }

  #snapshot(): unknown {
    return {
      v: 1,
      pending: [...this.#pending.values()],
      handed: [...this.#handed].map(([key, at]) => ({ key, at })),
      woken: [...this.#woken].map(([key, at]) => ({ key, at })),
      last: this.#last,
    };
  }
}
