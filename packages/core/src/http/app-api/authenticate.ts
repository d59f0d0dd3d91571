import { createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { WakeshiftError } from "@wakeshift/protocol";
import { checkClaims, parseAssertion } from "../../engine/app/assertion.ts";
import type { KeyRecord, Store } from "../../engine/store.ts";
import { Signatures } from "./signatures.ts";

/** An assertion whose signature and claims are good. Its `jti` has yet to be claimed. */
export interface Authenticated {
  readonly key: KeyRecord;
  readonly jti: string;
  readonly expiresAt: number;
  readonly request: string | undefined;
}

interface KnownKey {
  readonly record: KeyRecord;
  readonly key: KeyObject;
  /** Monotonic milliseconds. */
  readonly readAt: number;
}

const MAX_KEYS = 1_000;
/** A revoked key must be refused within a second. */
const REMEMBERED_MS = 200;

/** What checking needs. */
export interface AuthenticatorParts {
  readonly store: Pick<Store, "findKey" | "claimJti">;
  readonly clock: { now(): number; monotonic(): number };
  /** Values of `aud` that mean this core. */
  readonly audiences: ReadonlySet<string>;
}

/** Checks who calls the app API. Keeps the keys used last in the form that verifying needs. */
export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #keys = new Map<string, KnownKey>();
  readonly #signatures = new Signatures();

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /** Runs a call that uses `check`, which is told by this whether it keeps another call waiting. */
  during<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#signatures.during(call);
  }

  /**
   * Checks an `Authorization` header: form, key, signature, claims.
   *
   * @throws WakeshiftError `unauthorized`
   */
  async check(authorization: string | undefined): Promise<Authenticated> {
    const assertion = parseAssertion(authorization);
    const known = await this.#find(assertion.keyId);
    // One sentence for both: whether a key was once good is nobody's business but its owner's.
    if (known === undefined || known.record.revokedAt !== undefined) {
      throw new WakeshiftError(
        "unauthorized",
        `The key ${assertion.keyId} isn't known to this core: it was revoked, or made at another core than the one that answers at this address. Check WAKESHIFT_KEY and WAKESHIFT_CORE, or make another with \`npx wakeshift key create\`.`,
      );
    }
    const { record } = known;
    if (!(await this.#signatures.isBy(known.key, assertion))) {
      throw new WakeshiftError("unauthorized", `The assertion isn't signed by the key ${assertion.keyId} that it names.`);
    }
    const rules = { keyId: record.keyId, appId: record.appId, audiences: this.#parts.audiences, now: this.#parts.clock.now() };
    return { key: record, ...checkClaims(assertion.claims, rules) };
  }

  /** Uses an assertion up. What is written in the same turn is committed with it. @throws WakeshiftError `unauthorized` */
  async claim(authenticated: Authenticated): Promise<void> {
    if (await this.#parts.store.claimJti(authenticated.jti, authenticated.expiresAt)) return;
    throw new WakeshiftError("unauthorized", "The assertion was used before. Sign a fresh one for each request.");
  }

  /** Reads a key afresh at its next use: it was revoked. */
  forget(keyId: string): void {
    this.#keys.delete(keyId);
  }

  async #find(keyId: string): Promise<KnownKey | undefined> {
    const now = this.#parts.clock.monotonic();
    const known = this.#keys.get(keyId);
    if (known !== undefined && now - known.readAt < REMEMBERED_MS) return known;
    const record = await this.#parts.store.findKey(keyId);
    if (record === undefined) return undefined;
    const read = { record, key: known?.key ?? publicKeyOf(record), readAt: now };
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(keyId, read);
    return read;
  }
}

/** A key id is made from its public key, so that the one never changes without the other. */
function publicKeyOf(record: KeyRecord): KeyObject {
  const x = Buffer.from(record.publicKey).toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}
