import type { Hash } from "../../../engine/store.ts";

/** A hash as stored: 32 raw bytes. */
export function hashBytes(hash: Hash): Buffer {
  return Buffer.from(hash, "hex");
}

/** A stored hash as the store's callers see it. */
export function hashText(bytes: Buffer): Hash {
  return bytes.toString("hex");
}
