// The same server without a database: what an emit costs when nothing of it is kept.

/** @typedef {import("@wakeshift/core").Store} Store */

/**
 * Keeps apps, keys and events in memory, as the server needs them to answer; throws every occurrence away.
 * @implements {Pick<Store, "coreId" | "createApp" | "findApp" | "addKey" | "findKey" | "claimJti" | "putEvents" | "findEvent" | "listEvents" | "emit" | "prune" | "health" | "listen" | "close">}
 */
export class NothingStore {
  #apps = new Map();
  #keys = new Map();
  #events = new Map();
  #seq = 0;

  async coreId() {
    return `core_${"0".repeat(32)}`;
  }

  async createApp(app) {
    this.#apps.set(app.id, app);
  }

  async findApp(idOrName) {
    return this.#apps.get(idOrName);
  }

  async addKey(key) {
    this.#keys.set(key.keyId, key);
  }

  async findKey(keyId) {
    return this.#keys.get(keyId);
  }

  async claimJti() {
    return true;
  }

  async putEvents(events) {
    for (const event of events) this.#events.set(event.name, event);
    return { changed: events.map((event) => event.name), closed: [], stranded: [] };
  }

  async findEvent(_appId, name) {
    return this.#events.get(name);
  }

  async listEvents() {
    return [...this.#events.values()];
  }

  async emit({ id }) {
    return { seq: (this.#seq += 1), id, matched: 0, duplicate: false };
  }

  async endSubscriptions() {
    return 0;
  }

  async prune() {
    return false;
  }

  async health() {
    return { writable: true };
  }

  listen() {
    return () => undefined;
  }

  async close() {}
}
