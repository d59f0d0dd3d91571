import { createHash, createPrivateKey, createPublicKey, randomUUID, sign } from "node:crypto";
import { parseAppKey } from "@wakeshift/protocol";

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Speaks the app API as an SDK from before the openness rule does: what it publishes says nothing of who may subscribe. */
export class OlderSdk {
  #core;
  #keyId;
  #privateKey;

  constructor(core, key) {
    this.#core = core;
    this.#privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, parseAppKey(key)]), format: "der", type: "pkcs8" });
    const { x } = createPublicKey(this.#privateKey).export({ format: "jwk" });
    this.#keyId = createHash("sha256").update(Buffer.from(x, "base64url")).digest().subarray(0, 16).toString("base64url");
  }

  /** @param {Record<string, string>} events the one argument of each event, by name */
  publish(events) {
    const text = (name) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
    const published = Object.entries(events).map(([name, argument]) => ({
      name,
      description: "It happened",
      arguments: text(argument),
      payload: text("status"),
      topic: `ev/${name}/{${argument}}`,
    }));
    return this.#send("PUT", "/manifest", { events: published });
  }

  /** Subscribes as a call of this tool; answers what the result's `_meta` would carry. */
  async subscribe(tool, name, args) {
    const { addition } = await this.#send("POST", "/event-subscriptions", { call: { client: "codex", tool }, name, arguments: args });
    return { _meta: addition.meta };
  }

  async #send(method, path, body) {
    const answer = await fetch(`${this.#core}/api/apps/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#assertion()}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`the core answered the older SDK's ${method} ${path} with ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }

  #assertion() {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss: this.#keyId, sub: this.#keyId, aud: `${this.#core}/api/apps`, iat, exp: iat + 120, jti: randomUUID() };
    const signed = `${part({ alg: "EdDSA", typ: "app+jwt", kid: this.#keyId })}.${part(claims)}`;
    return `${signed}.${sign(null, Buffer.from(signed), this.#privateKey).toString("base64url")}`;
  }
}
