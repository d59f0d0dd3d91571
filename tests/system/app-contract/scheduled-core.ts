import { MINUTE } from "./contract-app.ts";
import type { ContractCore } from "./contract-world.ts";
import type { Caller, Step } from "./random-steps.ts";

/** A core that goes through a schedule, and tells what it did so that another core's telling can be held against it. */
export class ScheduledCore {
  readonly #core: ContractCore;
  readonly #began: number = Date.now();
  readonly #subscriptions: string[] = [];
  readonly #sessions: string[] = [];
  readonly #occurrences: string[] = [];

  constructor(core: ContractCore) {
    this.#core = core;
  }

  /** What one step came to, with ids and session keys named by their place and times in minutes since the beginning. */
  async take(step: Step): Promise<unknown> {
    switch (step.do) {
      case "publish":
        return this.#ask("PUT", "/manifest", { sdk: { language: "typescript", version: "0.11.0" }, events: step.events });
      case "subscribe":
        return this.#ask("POST", "/event-subscriptions", { call: this.#call(step.caller), ...step.of, ...step.terms });
      case "emit":
        return this.#ask("POST", "/events/emit", { ...step.of, payload: step.payload, ...step.to, ...step.id });
      case "unsubscribe":
        return this.#ask("POST", "/event-subscriptions/unsubscribe", {
          ...{ call: this.#call(step.caller), ...step.of },
          ...(step.one === undefined ? {} : { id: this.#subscription(step.one) }),
        });
      case "end":
        return this.#ask("POST", "/event-subscriptions/end", { id: this.#subscription(step.one), ...step.whose });
      case "end-matching":
        return this.#ask("POST", "/event-subscriptions/end-matching", step.which);
      case "list":
        return this.#ask("POST", "/event-subscriptions/list", {
          ...(step.caller === undefined ? {} : { call: this.#call(step.caller) }),
          ...step.whose,
        });
      case "rollback":
        return this.#ask("POST", "/event-subscriptions/rollback", { call_id: step.call_id });
      case "forget":
        return this.#ask("POST", "/users/forget", { user: step.user });
      case "advance":
        return this.#core.advance(step.ms);
      case "look":
        return this.#look();
    }
  }

  async #ask(method: string, path: string, body: object): Promise<unknown> {
    const answer = await this.#core.ask(method, path, body);
    const { error, addition, session, agent, ...rest } = answer.body;
    if (error !== undefined) return { status: answer.status, code: error.code };
    if (rest.event_subscription !== undefined) {
      note(this.#subscriptions, rest.event_subscription.id);
      note(this.#sessions, session);
    }
    if (path === "/events/emit") note(this.#occurrences, rest.id);
    const { text, structured, meta } = addition ?? {};
    const shown = JSON.stringify({
      ...rest,
      agent,
      session,
      structured,
      entries: Object.values(meta ?? {})
        .flat()
        .map(withoutTicket),
      text: text?.length,
    });
    const named = JSON.parse(this.#named(shown));
    // No order of a list is promised.
    const list = (named.subscriptions as any[] | undefined)?.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    return { status: answer.status, ...named, ...(list === undefined ? {} : { subscriptions: list }) };
  }

  async #look(): Promise<unknown> {
    const told = new Map<string, string[]>();
    for (const { subscription, ...wake } of await this.#core.wakes()) {
      const { occurrence, event, arguments: args, payload, text, once } = wake;
      const line = this.#named(JSON.stringify([occurrence, event, args, payload, text, once]));
      const name = this.#named(JSON.stringify(subscription));
      told.set(name, [...(told.get(name) ?? []), line]);
    }
    return [...told].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #call({ call, session }: Caller): object {
    return { ...call, ...(session === undefined ? {} : { session: at(this.#sessions, session) ?? `wsk_${"x".repeat(32)}` }) };
  }

  #subscription(place: number): string {
    return at(this.#subscriptions, place) ?? "sub_none";
  }

  #named(json: string): string {
    let text = json;
    for (const [kind, ids] of [
      ["subscription", this.#subscriptions],
      ["session", this.#sessions],
      ["occurrence", this.#occurrences],
    ] as const)
      ids.forEach((id, index) => (text = text.replaceAll(JSON.stringify(id), JSON.stringify(`${kind} ${String(index)}`))));
    return text
      .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (time) => JSON.stringify(Math.round((Date.parse(JSON.parse(time)) - this.#began) / MINUTE)))
      .replace(/"http:[^"]*"/g, '"the core"')
      .replace(/core_[0-9a-f]{32}/g, "the core's id")
      .replace(/"app_[^"]*"/g, '"the app"');
  }
}

function withoutTicket({ ticket: _ticket, ...entry }: any): object {
  return entry;
}

function note(known: string[], id: string): void {
  if (!known.includes(id)) known.push(id);
}

/** The newest are asked for most. */
function at(known: readonly string[], place: number): string | undefined {
  return known[known.length - 1 - (place % 31)];
}
