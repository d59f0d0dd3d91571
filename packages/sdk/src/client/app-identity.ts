import type { webcrypto } from "node:crypto";
import { LIMITS, WakeshiftError, parseAppKey } from "@wakeshift/protocol";
import { SignJWT, base64url } from "jose";

/** DER prefix of an Ed25519 private key in PKCS #8; the 32-byte seed follows. */
const PKCS8_PREFIX: readonly number[] = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const KEY_ID_BYTES = 16;

/** Proves to a core which app asks, without ever sending the app key. */
export interface AppIdentity {
  /** A fresh assertion for this request alone, good for two minutes. @param text - `boundRequestText` of the request */
  assertion(text: string): Promise<string>;
}

const NO_KEY =
  "There is no app key. Set WAKESHIFT_KEY, or pass `key` to new Wakeshift(). `npx wakeshift app create NAME` makes an app and its key; `npx wakeshift dev` prints one for trying things out.";

/**
 * As {@link createAppIdentity}, but a key that is missing or malformed is returned as the error that every call to a core fails
 * with: an author's other tools go on without one.
 */
export function identityOrFault(appKey: string | undefined, core: string, now: () => number): AppIdentity | WakeshiftError {
  if (appKey === undefined) return new WakeshiftError("no_key", NO_KEY);
  try {
    return createAppIdentity(appKey, core, now);
  } catch (error) {
    if (!WakeshiftError.isInstance(error)) throw error;
    return new WakeshiftError(error.code, `WAKESHIFT_KEY, or the key passed to new Wakeshift(), can't be used. ${error.message}`);
  }
}

/**
 * Reads an app key. Every assertion it then makes is for `core` alone.
 * @throws WakeshiftError `unauthorized` for a mistyped key
 */
export function createAppIdentity(appKey: string, core: string, now: () => number): AppIdentity {
  const seed = parseAppKey(appKey);
  // Never a promise: a runtime may stop one that a request began together with that request, and it would never end.
  let imported: { readonly key: webcrypto.CryptoKey; readonly keyId: string } | undefined;
  return {
    async assertion(text): Promise<string> {
      const { key, keyId } = imported ?? (await importSeed(seed));
      imported = { key, keyId };
      const issuedAt = Math.floor(now() / 1000);
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
      return new SignJWT({ jti: crypto.randomUUID(), req: base64url.encode(new Uint8Array(digest)) })
        .setProtectedHeader({ alg: "EdDSA", typ: "app+jwt", kid: keyId })
        .setIssuer(keyId)
        .setSubject(keyId)
        .setAudience(`${core}/api/apps`)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + LIMITS.assertionSeconds)
        .sign(key);
    },
  };
}

async function importSeed(seed: Uint8Array): Promise<{ readonly key: webcrypto.CryptoKey; readonly keyId: string }> {
  const key = await crypto.subtle.importKey("pkcs8", new Uint8Array([...PKCS8_PREFIX, ...seed]), { name: "Ed25519" }, true, ["sign"]);
  const { x } = await crypto.subtle.exportKey("jwk", key);
  const publicKey = base64url.decode(x ?? "");
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(publicKey));
  return { key, keyId: base64url.encode(new Uint8Array(digest).subarray(0, KEY_ID_BYTES)) };
}
