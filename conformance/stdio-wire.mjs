import { envelopeOf, handshakeOf } from "./wire.mjs";

/** One program's connection to a process of its own, each request as the check writes it. There are no headers, and nobody is signed in. */
export class StdioWire {
  #capabilities;
  #era;
  #info;
  #next = 0;
  #transport;
  #waiting = new Map();

  /**
   * @param {{ transport: import("@modelcontextprotocol/client/stdio").StdioClientTransport, era: string, info?: object, capabilities?: object }} options
   * `info` and `capabilities` are what the program says of itself, where its era has a place for it
   */
  constructor({ transport, era, info, capabilities }) {
    this.#transport = transport;
    this.#era = era;
    this.#info = info;
    this.#capabilities = capabilities;
    transport.onmessage = (message) => this.#waiting.get(message.id)?.(message);
    transport.onclose = () => {
      for (const settle of this.#waiting.values()) settle({ error: { message: "the server ended" } });
    };
  }

  /** Starts the server, and shakes hands in the era that does. */
  async open() {
    await this.#transport.start();
    if (this.#era === "2026-07-28") return;
    const { error } = await this.#ask("initialize", handshakeOf(this.#era, this.#info, this.#capabilities));
    if (error !== undefined) throw new Error(`initialize was answered with ${error.message}`);
    await this.#transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  close() {
    return this.#transport.close();
  }

  /** The answer to one `tools/call`: the result or the error. */
  async call(name, args, { meta = {} } = {}) {
    const envelope = envelopeOf(this.#era, this.#info, this.#capabilities);
    const { result, error } = await this.#ask("tools/call", { name, arguments: args, _meta: { ...envelope, ...meta } });
    return { result, error };
  }

  async #ask(method, params) {
    const id = this.#next++;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    await this.#transport.send({ jsonrpc: "2.0", id, method, params });
    return answer.finally(() => this.#waiting.delete(id));
  }
}
