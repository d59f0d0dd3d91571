import { WakeshiftError } from "@wakeshift/protocol";
import { decodeJwt, decodeProtectedHeader } from "jose";

/** An assertion taken apart. Nothing in it is believed before its signature is checked. */
export interface ParsedAssertion {
  readonly keyId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** What the signature signs. */
  readonly signedText: string;
  readonly signature: Buffer;
}

/** What a good assertion must say. */
export interface AssertionRules {
  readonly keyId: string;
  readonly appId: string;
  readonly audiences: ReadonlySet<string>;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/** What remains of a good assertion: its `jti`, to be refused from now on, and until when. */
export interface GoodAssertion {
  readonly jti: string;
  /** Wall clock, milliseconds. After this the assertion is refused for its age. */
  readonly expiresAt: number;
  /** SHA-256, base64url, of the only request that it is good for. `undefined`: an SDK from before assertions were bound sent it. */
  readonly request: string | undefined;
}

const BEARER = /^Bearer +([A-Za-z0-9_-]{1,1024}\.[A-Za-z0-9_-]{1,2048}\.[A-Za-z0-9_-]{86})$/i;
const KEY_ID = /^[A-Za-z0-9_-]{22}$/;
const LIFE_SECONDS = 120;
/** How far two clocks may differ. */
const SKEW_SECONDS = 5;
const JTI_CHARACTERS = 128;

/**
 * Takes the assertion out of an `Authorization` header: a compact JWS with `alg: EdDSA`, `typ: app+jwt` and a key id.
 * No other algorithm, `none` included, and no critical extension is read.
 *
 * @throws WakeshiftError `unauthorized`
 */
export function parseAssertion(authorization: string | undefined): ParsedAssertion {
  if (authorization === undefined)
    throw refused("The request has no Authorization header. Send `Authorization: Bearer` and a fresh assertion.");
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw refused("The Authorization header holds no assertion: it must be `Bearer` and a compact JWS signed with EdDSA.");
  const header = readPart(() => decodeProtectedHeader(token), "header");
  if (header["alg"] !== "EdDSA") throw refused('The assertion\'s header must say `alg: "EdDSA"`.');
  if (header["typ"] !== "app+jwt") throw refused('The assertion\'s header must say `typ: "app+jwt"`.');
  if (header["crit"] !== undefined || header["b64"] !== undefined)
    throw refused("The assertion's header asks for an extension that no assertion has.");
  const keyId = header["kid"];
  if (typeof keyId !== "string" || !KEY_ID.test(keyId)) throw refused("The assertion's header has no key id of 22 base64url characters.");
  const end = token.lastIndexOf(".");
  return {
    keyId,
    claims: readPart(() => decodeJwt(token), "claims"),
    signedText: token.slice(0, end),
    signature: Buffer.from(token.slice(end + 1), "base64url"),
  };
}

/**
 * Checks what an assertion with a good signature claims: who it is for, from whom, and when.
 *
 * @throws WakeshiftError `unauthorized`, naming the claim.
 */
export function checkClaims(claims: Readonly<Record<string, unknown>>, rules: AssertionRules): GoodAssertion {
  const { iss, sub, aud, iat, exp, jti, req } = claims;
  if (iss !== sub || (iss !== rules.appId && iss !== rules.keyId)) {
    throw refused("The assertion's `iss` and `sub` must both be the app's id, or both the key's id.");
  }
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((audience) => typeof audience === "string" && rules.audiences.has(audience))) {
    throw refused("The assertion's `aud` is another core's. It must be this core's URL and `/api/apps`; check WAKESHIFT_CORE.");
  }
  if (!isSeconds(iat) || !isSeconds(exp) || exp <= iat || exp - iat > LIFE_SECONDS) {
    throw refused(`The assertion must have whole seconds in \`iat\` and \`exp\`, at most ${LIFE_SECONDS} apart.`);
  }
  const seconds = rules.now / 1_000;
  if (iat > seconds + SKEW_SECONDS) throw refused("The assertion's `iat` lies in the future. Set this machine's clock.");
  if (exp < seconds - SKEW_SECONDS)
    throw refused("The assertion has expired. Sign a fresh one for each request, and check this machine's clock.");
  if (typeof jti !== "string" || jti === "" || jti.length > JTI_CHARACTERS) {
    throw refused(`The assertion must have a random \`jti\` of at most ${JTI_CHARACTERS} characters.`);
  }
  if (req !== undefined && typeof req !== "string") throw refused("The assertion's `req` must be a SHA-256 in base64url.");
  return { jti, expiresAt: (exp + SKEW_SECONDS + 1) * 1_000, request: req };
}

/** Refuses an assertion that was made for another request. @throws WakeshiftError `unauthorized` */
export function assertMadeFor(digest: string, { request }: Pick<GoodAssertion, "request">): void {
  if (request !== undefined && request !== digest)
    throw refused(
      "The assertion was made for another request: its `req` isn't the SHA-256 of this method, path and body. Nothing on the way may change them.",
    );
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function readPart(read: () => object, part: string): Record<string, unknown> {
  try {
    return read() as Record<string, unknown>;
  } catch {
    // The cause is left out: a decoder's message may quote the token.
    throw refused(`The assertion's ${part} can't be read as base64url JSON.`);
  }
}

function refused(sentence: string): WakeshiftError {
  return new WakeshiftError("unauthorized", sentence);
}
