// An app's side of the core, as small as it can be: signed assertions and plain requests.
import { createHash, createPrivateKey, createPublicKey, randomUUID, sign } from "node:crypto";
import { request } from "node:http";
import { parseAppKey } from "@wakeshift/protocol";
import { WAIT_LIMIT_MS } from "./within.mjs";

const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** Signs assertions of one app for one core. */
export class Assertions {
  #key;
  #head;
  #app;
  #audience;
  /** Checks what this signs: base64url. */
  publicKey;

  /** @param {{ url: string, app: string, key: string }} core */
  constructor({ url, app, key }) {
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, parseAppKey(key)]), format: "der", type: "pkcs8" });
    this.publicKey = createPublicKey(this.#key).export({ format: "jwk" }).x ?? "";
    const kid = createHash("sha256").update(Buffer.from(this.publicKey, "base64url")).digest().subarray(0, 16).toString("base64url");
    this.#head = encode({ alg: "EdDSA", typ: "app+jwt", kid });
    this.#app = app;
    this.#audience = `${url}/api/apps`;
  }

  /** The value of an `Authorization` header, good once within two minutes. */
  next() {
    const iat = Math.floor(Date.now() / 1000);
    const claims = encode({ iss: this.#app, sub: this.#app, aud: this.#audience, iat, exp: iat + 120, jti: randomUUID() });
    const text = `${this.#head}.${claims}`;
    return `Bearer ${text}.${sign(null, Buffer.from(text), this.#key).toString("base64url")}`;
  }
}

function encode(value) {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/**
 * Sends one JSON request and resolves to the JSON of its response.
 * @param {{ method?: string, url: string, authorization?: string, body: unknown, agent?: import("node:http").Agent }} options
 * @returns {Promise<any>}
 */
export function call({ method = "POST", url, authorization, body, agent }) {
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(authorization === undefined ? {} : { authorization }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent, signal: AbortSignal.timeout(WAIT_LIMIT_MS) }, (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (chunk) => (answer += chunk));
      response.on("end", () => {
        if (response.statusCode !== undefined && response.statusCode < 300) resolve(JSON.parse(answer));
        else reject(new Error(`${method} ${url} answered ${response.statusCode}: ${answer.slice(0, 300)}`));
      });
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

/** Publishes the one event the bench emits. */
export function publish(core, assertions) {
  const job = { type: "object", properties: { job: { type: "string" } }, required: ["job"] };
  const event = {
    name: "crawl.finished",
    description: "A crawl has ended.",
    arguments: job,
    payload: { type: "object" },
    access: ["public"],
    tools: ["start_crawl"],
  };
  const body = { sdk: { language: "typescript", version: "0.11.0" }, events: [event] };
  return call({ method: "PUT", url: `${core.url}/api/apps/v1/manifest`, authorization: assertions.next(), body });
}

/** What one emit carries: about half a kilobyte, for one of 64 jobs. */
export function emitBody(n) {
  return {
    name: "crawl.finished",
    arguments: { job: `job-${n % 64}` },
    payload: { status: "done", pages: n, note: "x".repeat(300) },
    text: `Crawl ${n} is done.`,
  };
}
