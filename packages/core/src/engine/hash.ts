import { createHash } from "node:crypto";
import type { Hash } from "./store.ts";

/** SHA-256 of a text's UTF-8, as lower-case hex: the only form in which a secret is kept. */
export function sha256Hex(text: string): Hash {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Names a ticket to its holder without showing it: the first 16 hex characters of its hash. */
export function ticketIdOf(ticketHash: Hash): string {
  return ticketHash.slice(0, 16);
}
