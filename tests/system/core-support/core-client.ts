import { createHash, createPrivateKey, createPublicKey, randomUUID } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { parseAppKey } from "@wakeshift/protocol";
import { SignJWT } from "jose";

const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** What an assertion says, where a test wants it to say something else. */
export interface AssertionChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly key?: KeyObject;
}

/** An answer whose body was JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: any;
  readonly headers: Headers;
}

/** A client of the app API that signs with jose, so that nothing of the core's own checking is reused. */
export class AppClient {
  readonly url: string;
  readonly key: string;
  readonly keyId: string;
  readonly privateKey: KeyObject;
  /** Every assertion it signed, to look for in logs. */
  readonly assertions: string[] = [];

  /** `keyId`: the one the assertions name; by default the key's own. */
  constructor(url: string, key: string, keyId?: string) {
    this.url = url;
    this.key = key;
    this.privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, parseAppKey(key)]), format: "der", type: "pkcs8" });
    this.keyId = keyId ?? keyIdOf(this.privateKey);
  }

  async assertion(changes: AssertionChanges = {}): Promise<string> {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: this.keyId,
      sub: this.keyId,
      aud: `${this.url}/api/apps`,
      iat,
      exp: iat + 120,
      jti: randomUUID(),
      ...changes.claims,
    };
    const header = { alg: "EdDSA", typ: "app+jwt", kid: this.keyId, ...changes.header };
    const kept = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    const token = await new SignJWT(kept).setProtectedHeader(header).sign(changes.key ?? this.privateKey);
    this.assertions.push(token);
    return token;
  }

  async call(method: string, path: string, body?: unknown, authorization?: string): Promise<JsonAnswer> {
    const headers = { Authorization: authorization ?? `Bearer ${await this.assertion()}`, "Content-Type": "application/json" };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${this.url}/api/apps/v1${path}`, { method, headers, ...(body === undefined ? {} : { body: text }) });
    return { status: response.status, body: await response.json(), headers: response.headers };
  }

  post(path: string, body: unknown): Promise<JsonAnswer> {
    return this.call("POST", path, body);
  }
}

function keyIdOf(key: KeyObject): string {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return createHash("sha256").update(Buffer.from(x, "base64url")).digest().subarray(0, 16).toString("base64url");
}
