/** One program's connection over HTTP, each request as the check writes it. */
export class Wire {
  #capabilities;
  #era;
  #headers;
  #info;
  #session;
  #url;

  /**
   * @param {{ url: string, era: string, headers?: Record<string, string>, info?: object, capabilities?: object }} options `info` and
   * `capabilities` are what the program says of itself, where its era has a place for it
   */
  constructor({ url, era, headers = {}, info, capabilities }) {
    this.#url = url;
    this.#era = era;
    this.#headers = headers;
    this.#info = info;
    this.#capabilities = capabilities;
  }

  /** The handshake of a server with sessions. */
  async initialize() {
    const answer = await this.#post({ id: 0, method: "initialize", params: handshakeOf(this.#era, this.#info, this.#capabilities) });
    this.#session = answer.headers.get("mcp-session-id") ?? undefined;
    const text = await answer.text();
    if (this.#session === undefined) throw new Error(`initialize was answered with ${answer.status}, without a session: ${text}`);
    const told = await this.#post({ method: "notifications/initialized" });
    await told.body?.cancel();
  }

  /**
   * The answer to one `tools/call`: its HTTP status, and the result or the error.
   * @param {{ meta?: object, headers?: Record<string, string>, id?: number }} [options]
   */
  async call(name, args, { meta = {}, headers = {}, id = 1 } = {}) {
    const params = { name, arguments: args, _meta: { ...envelopeOf(this.#era, this.#info, this.#capabilities), ...meta } };
    const answer = await this.#post({ id, method: "tools/call", params }, headers);
    const { result, error } = lastMessage(await answer.text());
    return { status: answer.status, result, error };
  }

  #post(message, headers = {}) {
    const modern = this.#era === "2026-07-28" ? { "mcp-method": message.method, "mcp-name": message.params?.name ?? "" } : {};
    return fetch(this.#url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(message.method === "initialize" ? {} : { "mcp-protocol-version": this.#era }),
        ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
        ...modern,
        ...this.#headers,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  }
}

/** What a program says of itself in a handshake. A name there must be; where it says none this one tells nothing. */
export function handshakeOf(era, info = { name: "mcp", version: "1.0.0" }, capabilities = {}) {
  return { protocolVersion: era, capabilities, clientInfo: info };
}

/** What it says of itself with each request, in the era that has no handshake. */
export function envelopeOf(era, info, capabilities = {}) {
  if (era !== "2026-07-28") return {};
  return {
    "io.modelcontextprotocol/protocolVersion": era,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(info === undefined ? {} : { "io.modelcontextprotocol/clientInfo": info }),
  };
}

/** The message that answers, the last one where notices came before it. */
function lastMessage(text) {
  if (text.startsWith("{")) return JSON.parse(text);
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return JSON.parse(lines.at(-1)?.slice(6) ?? "{}");
}
