import { createHash, createPrivateKey, createPublicKey } from "node:crypto";
import { cleanText, formatAppKey, redactSecrets, WakeshiftError } from "@wakeshift/protocol";
import type { AppRecord, Store } from "./engine/store.ts";

/** An app key just made. The only time its text is known. */
export interface CreatedKey {
  readonly keyId: string;
  readonly name: string;
  /** The app key itself, `wst_…`: for the app's server, to be shown once and stored nowhere else. */
  readonly key: string;
}

/** What making apps and keys needs from outside. */
export interface ProvisionParts {
  readonly store: Pick<Store, "createApp" | "findApp" | "addKey">;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
}

const NAME_CHARACTERS = 64;
const MOST_TRIES = 16;
/** What stands before the 32-byte seed of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Makes an app and its first key.
 *
 * @param name - 1 to 64 characters, not another app's name or id.
 * @throws WakeshiftError `bad_request`
 */
export async function createApp(parts: ProvisionParts, name: string): Promise<{ readonly app: AppRecord; readonly key: CreatedKey }> {
  const checked = checkName(name, "An app's name");
  if ((await parts.store.findApp(checked)) !== undefined) {
    throw new WakeshiftError(
      "bad_request",
      `There is an app named ${checked} already; choose another name, or make a key for it with \`npx wakeshift key create\`.`,
      { status: 409 },
    );
  }
  const app = { id: `app_${Buffer.from(parts.randomBytes(12)).toString("hex")}`, name: checked, createdAt: parts.now() };
  await parts.store.createApp(app);
  return { app, key: await addKey(parts, app.id, "first key") };
}

/**
 * Makes a further key of an app.
 *
 * @param app - its id or name.
 * @throws WakeshiftError `bad_request` (404: no such app)
 */
export async function createKey(parts: ProvisionParts, app: string, name = "key"): Promise<CreatedKey> {
  const found = await parts.store.findApp(app);
  if (found === undefined)
    throw new WakeshiftError(
      "bad_request",
      `There is no app ${JSON.stringify(app.slice(0, NAME_CHARACTERS))}; \`npx wakeshift app list\` shows those there are.`,
      { status: 404 },
    );
  return addKey(parts, found.id, checkName(name, "A key's name"));
}

async function addKey(parts: ProvisionParts, appId: string, name: string): Promise<CreatedKey> {
  let seed: Uint8Array;
  let publicKey: Uint8Array;
  let keyId: string;
  let tries = 0;
  // An id that begins with a dash would be read as an option by `key revoke`. One in 64 does.
  do {
    seed = parts.randomBytes(32);
    publicKey = publicKeyOf(seed);
    keyId = keyIdOf(publicKey);
    tries += 1;
  } while (keyId.startsWith("-") && tries < MOST_TRIES);
  await parts.store.addKey({ keyId, appId, name, publicKey, createdAt: parts.now(), revokedAt: undefined });
  return { keyId, name, key: formatAppKey(seed) };
}

function publicKeyOf(seed: Uint8Array): Uint8Array {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  return Buffer.from(x ?? "", "base64url");
}

/** The id of a key: base64url of the first 16 bytes of SHA-256 of the public key. */
function keyIdOf(publicKey: Uint8Array): string {
  return createHash("sha256").update(publicKey).digest().subarray(0, 16).toString("base64url");
}

function checkName(name: string, what: string): string {
  const trimmed = name.trim();
  if (redactSecrets(trimmed) !== trimmed)
    throw new WakeshiftError("bad_request", `${what} must not be a secret: names are shown and logged.`);
  if (
    trimmed === "" ||
    trimmed.length > NAME_CHARACTERS ||
    cleanText(trimmed) !== trimmed ||
    trimmed.includes("\n") ||
    trimmed.startsWith("app_")
  ) {
    throw new WakeshiftError("bad_request", `${what} is 1 to ${NAME_CHARACTERS} characters on one line, and doesn't begin with app_.`);
  }
  return trimmed;
}
