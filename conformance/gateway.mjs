import { createServer, request as ask } from "node:http";

/** What a request is from its first line and its app's key on. */
const SUBSCRIPTIONS = "/api/apps/v1/event-subscriptions";
const MANIFEST = "/api/apps/v1/manifest";

/** Stands between the servers under test and the core: sees what passes, and takes the core away from one app's servers. */
export class Gateway {
  #agents = new Map();
  #away = new Set();
  #core;
  #manifests = new Map();
  #server = createServer((request, response) => void this.#pass(request, response));

  /** Answers its URL, which is the core's public one. */
  async listen() {
    await new Promise((resolve, reject) => this.#server.once("error", reject).listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** @param {string} core where requests go on to */
  leadTo(core) {
    this.#core = new URL(core);
  }

  close() {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  /** From now on each request of this key's app breaks off, as if no core were there. */
  cut(keyId) {
    this.#away.add(keyId);
  }

  mend(keyId) {
    this.#away.delete(keyId);
  }

  /** What the core recognized as the agent of a subscription: `harness`, and `via`, the fact that told it. */
  agentOf(subscription) {
    return this.#agents.get(subscription);
  }

  /** What an app's server published last. */
  manifestOf(keyId) {
    return this.#manifests.get(keyId);
  }

  async #pass(request, response) {
    const keyId = issuerOf(request.headers.authorization);
    const body = await bytesOf(request);
    if (this.#away.has(keyId)) return void request.socket.destroy();
    const { hostname, port } = this.#core;
    const onward = ask({ hostname, port, path: request.url, method: request.method, headers: request.headers }, async (answer) => {
      const bytes = await bytesOf(answer);
      this.#see(keyId, request, body, bytes);
      response.writeHead(answer.statusCode, answer.headers).end(bytes);
    });
    onward.once("error", () => response.destroy());
    onward.end(body);
  }

  #see(keyId, { method, url }, body, answer) {
    if (method === "PUT" && url === MANIFEST) this.#manifests.set(keyId, JSON.parse(body));
    if (method !== "POST" || url !== SUBSCRIPTIONS) return;
    const { event_subscription: subscription, agent } = JSON.parse(answer);
    if (subscription !== undefined) this.#agents.set(subscription.id, agent);
  }
}

async function bytesOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Whose assertion it is. */
function issuerOf(authorization = "") {
  const [, claims] = authorization.split(".");
  return claims === undefined ? undefined : JSON.parse(Buffer.from(claims, "base64url").toString()).iss;
}
