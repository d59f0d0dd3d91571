import type Database from "better-sqlite3";
import type { Hash } from "../../../engine/store.ts";
import type { Effects } from "../file/effects.ts";
import { hashBytes, hashText } from "./hash.ts";
import type { Subscriptions } from "./subscriptions.ts";

interface TicketRow {
  number: number;
  target: string;
  holder: Buffer | null;
  retired: number;
}

/** What showing a ticket comes to, before the subscription's own state is looked at. */
export type TicketUse =
  | { readonly kind: "unknown" }
  | { readonly kind: "retired" | "unbound" | "bound"; readonly number: number; readonly subscriptionId: string };

/** Tickets: each allows its holder to receive, ack and end one subscription. */
export class Tickets {
  private readonly subscriptions: Pick<Subscriptions, "claimed">;
  private readonly insert: Database.Statement<[Buffer, number, string]>;
  private readonly select: Database.Statement<[Buffer], TicketRow>;
  private readonly updateHolder: Database.Statement<[Buffer, number]>;
  private readonly selectOlder: Database.Statement<[string, number], { number: number; hash: Buffer }>;
  private readonly updateRetired: Database.Statement<[number]>;
  private readonly selectHeld: Database.Statement<[string, Buffer], number>;

  constructor(database: Database.Database, subscriptions: Pick<Subscriptions, "claimed">) {
    this.subscriptions = subscriptions;
    this.insert = database.prepare("INSERT INTO capabilities (hash, kind, app, target) VALUES (?, 'ticket', ?, ?)");
    this.select = database.prepare("SELECT number, target, holder, retired FROM capabilities WHERE hash = ? AND kind = 'ticket'");
    this.updateHolder = database.prepare("UPDATE capabilities SET holder = ? WHERE number = ?");
    this.selectOlder = database.prepare(
      "SELECT number, hash FROM capabilities WHERE target = ? AND number < ? AND kind = 'ticket' AND retired = 0",
    );
    this.updateRetired = database.prepare("UPDATE capabilities SET retired = 1 WHERE number = ?");
    this.selectHeld = database
      .prepare<[string, Buffer], number>("SELECT 1 FROM capabilities WHERE target = ? AND holder = ? AND kind = 'ticket' AND retired = 0")
      .pluck();
  }

  issue(ticketHash: Hash, app: number, subscriptionId: string): void {
    this.insert.run(hashBytes(ticketHash), app, subscriptionId);
  }

  /** A ticket bound to another holder is as unknown as one that was never issued. */
  look(ticketHash: Hash, holderHash: Hash): TicketUse {
    const row = this.select.get(hashBytes(ticketHash));
    if (row === undefined || (row.holder !== null && hashText(row.holder) !== holderHash)) return { kind: "unknown" };
    const kind = row.retired === 1 ? "retired" : row.holder === null ? "unbound" : "bound";
    return { kind, number: row.number, subscriptionId: row.target };
  }

  /** First use: binds the ticket to its holder and retires the older ones of the same subscription. */
  bind(number: number, subscriptionId: string, holderHash: Hash, effects: Effects): void {
    this.updateHolder.run(hashBytes(holderHash), number);
    this.subscriptions.claimed(subscriptionId);
    for (const older of this.selectOlder.all(subscriptionId, number)) {
      this.updateRetired.run(older.number);
      effects.retired.push(hashText(older.hash));
    }
  }

  /** Whether the holder has a ticket of this subscription that is in force. */
  isHeldBy(subscriptionId: string, holderHash: Hash): boolean {
    return this.selectHeld.get(subscriptionId, hashBytes(holderHash)) !== undefined;
  }
}
