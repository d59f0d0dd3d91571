import { createPublicKey, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { WakeshiftError } from "@wakeshift/protocol";
import { checkClaims, parseAssertion } from "../../engine/app/assertion.ts";
import type { ParsedAssertion } from "../../engine/app/assertion.ts";
import type { KeyRecord } from "../../store/store.ts";
import type { CoreServices } from "../core-services.ts";

/** An assertion whose signature and claims are good. Its `jti` has yet to be claimed. */
export interface Authenticated {
  readonly key: KeyRecord;
  readonly jti: string;
  readonly expiresAt: number;
}

const MAX_KEYS = 1_000;

/** Checks who calls the app API. Keeps the keys used last in the form that verifying needs. */
export class Authenticator {
  readonly #services: Pick<CoreServices, "store" | "clock" | "own">;
  readonly #keys = new Map<string, { readonly record: KeyRecord; readonly key: KeyObject }>();

  constructor(services: Pick<CoreServices, "store" | "clock" | "own">) {
    this.#services = services;
  }

  /**
   * Checks an `Authorization` header: form, key, signature, claims.
   *
   * @throws WakeshiftError `unauthorized`
   */
  async check(authorization: string | undefined): Promise<Authenticated> {
    const assertion = parseAssertion(authorization);
    const record = await this.#services.store.findKey(assertion.keyId);
    // One sentence for both: whether a key was once good is nobody's business but its owner's.
    if (record === undefined || record.revokedAt !== undefined) {
      throw new WakeshiftError("unauthorized", `The key ${assertion.keyId} isn't known to this core, or was revoked. Check WAKESHIFT_KEY and WAKESHIFT_CORE, or make another with \`wakeshift key create\`.`);
    }
    if (!(await isSignedBy(this.#keyOf(record), assertion))) {
      throw new WakeshiftError("unauthorized", `The assertion isn't signed by the key ${assertion.keyId} that it names.`);
    }
    const rules = { keyId: record.keyId, appId: record.appId, audiences: this.#services.own.audiences, now: this.#services.clock.now() };
    return { key: record, ...checkClaims(assertion.claims, rules) };
  }

  /** Uses an assertion up. What is written in the same turn is committed with it. @throws WakeshiftError `unauthorized` */
  async claim(authenticated: Authenticated): Promise<void> {
    if (await this.#services.store.claimJti(authenticated.jti, authenticated.expiresAt)) return;
    throw new WakeshiftError("unauthorized", "The assertion was used before. Sign a fresh one for each request.");
  }

  #keyOf(record: KeyRecord): KeyObject {
    const known = this.#keys.get(record.keyId);
    if (known !== undefined && Buffer.compare(known.record.publicKey, record.publicKey) === 0) return known.key;
    const x = Buffer.from(record.publicKey).toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(record.keyId, { record, key });
    return key;
  }
}

/** Runs beside the event loop: verifying takes longer than all the rest of an emit. */
function isSignedBy(key: KeyObject, assertion: ParsedAssertion): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, Buffer.from(assertion.signedText, "latin1"), key, assertion.signature, (error, good) => {
      if (error === null) resolve(good);
      else reject(error);
    });
  });
}
