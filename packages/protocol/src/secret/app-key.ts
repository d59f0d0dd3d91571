import { WakeshiftError } from "../errors.ts";
import { formatBase58, parseBase58 } from "./base58.ts";
import { parseBase64url } from "./base64url.ts";
import { crc32 } from "./crc32.ts";

const PREFIX = "wst_";
const BODY_LENGTH = 50;
const SEED_BYTES = 32;
const OLDER_KEY = /^wst_(?:test|live)_([a-z][a-z0-9-]{1,39})_(.*)$/s;
const FIX = "Copy the key again, or make another one with `npx wakeshift key create APP`.";

/**
 * Writes an app key: `wst_` and 50 base58 characters, which hold the Ed25519 seed and its CRC-32 (big-endian).
 *
 * @param seed - 32 bytes.
 */
export function formatAppKey(seed: Uint8Array): string {
  if (seed.length !== SEED_BYTES) throw new WakeshiftError("internal", `An app key holds a 32-byte seed, not ${seed.length} bytes.`);
  const bytes = new Uint8Array(SEED_BYTES + 4);
  bytes.set(seed);
  new DataView(bytes.buffer).setUint32(SEED_BYTES, crc32(seed));
  return PREFIX + formatBase58(bytes, BODY_LENGTH);
}

/**
 * Reads an app key and gives its 32-byte Ed25519 seed. White space around it is ignored.
 * The older forms `wst_test_<app>_<seed>` and `wst_live_<app>_<seed>` (base64url seed, no checksum) are read too.
 *
 * @throws WakeshiftError `unauthorized`, naming what is wrong (prefix, length, characters, checksum) and never the key.
 */
export function parseAppKey(text: string): Uint8Array {
  const key = text.trim();
  if (!key.startsWith(PREFIX)) throw refused(`An app key starts with ${PREFIX}; this value does not.`);
  if (key.slice(PREFIX.length).includes("_")) return parseOlderKey(key);
  const body = key.slice(PREFIX.length);
  if (body.length !== BODY_LENGTH) throw refused(`An app key has ${BODY_LENGTH} characters after ${PREFIX}; this one has ${body.length}.`);
  const bytes = parseBase58(body, SEED_BYTES + 4);
  if (bytes === undefined) throw refused(`The app key has a character that no app key can have, or is mistyped.`);
  const seed = bytes.slice(0, SEED_BYTES);
  if (new DataView(bytes.buffer).getUint32(SEED_BYTES) !== crc32(seed)) throw refused("The app key's checksum is wrong: it is mistyped.");
  return seed;
}

function parseOlderKey(key: string): Uint8Array {
  const body = OLDER_KEY.exec(key)?.[2];
  if (body === undefined) throw refused("The app key has neither the present form nor one of the older forms wst_test_… and wst_live_….");
  const seed = parseBase64url(body);
  if (seed?.length !== SEED_BYTES)
    throw refused("The seed of the older app key is not 43 base64url characters: it is cut short or mistyped.");
  return seed;
}

function refused(what: string): WakeshiftError {
  return new WakeshiftError("unauthorized", `${what} ${FIX}`);
}
