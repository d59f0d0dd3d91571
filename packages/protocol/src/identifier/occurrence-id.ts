import { WakeshiftError } from "../errors.ts";
import { hex } from "./hex.ts";

const USABLE_AS_IS = /^[A-Za-z0-9_:-]+$/;

/**
 * Makes an occurrence id: `evt_` and a UUIDv7 without dashes, so that ids sort by time.
 *
 * @param random10 - 10 random bytes.
 * @param nowMs - wall clock, milliseconds since 1970.
 */
export function formatOccurrenceId(random10: Uint8Array, nowMs: number): string {
  if (random10.length !== 10) throw new WakeshiftError("internal", `An occurrence id needs 10 random bytes, not ${random10.length}.`);
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(nowMs / 0x10000) >>> 0);
  view.setUint16(4, nowMs % 0x10000);
  bytes.set(random10, 6);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  return `evt_${hex(bytes)}`;
}

/**
 * The occurrence id of an emit that carries its author's own id: that id where it is made of letters, digits, `_`, `:` and `-`,
 * else `evt_` and the first half of a digest over app and id, which the caller computed.
 *
 * @param digestHex - SHA-256 as lowercase hex, 64 characters.
 */
export function occurrenceIdOf(authorId: string, digestHex: string): string {
  return USABLE_AS_IS.test(authorId) ? authorId : `evt_${digestHex.slice(0, 32)}`;
}
