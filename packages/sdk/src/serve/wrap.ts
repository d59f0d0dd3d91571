import { WakeshiftError } from "@wakeshift/protocol";
import type { AnyEvent } from "../event/event.ts";
import { definitionOf } from "../event/create-event.ts";

/** Which tools subscribe, and to what: by name, or by a function of the name, which covers tools registered later. */
export type Wrap = Readonly<Record<string, readonly AnyEvent[]>> | ((tool: string) => readonly AnyEvent[] | undefined);

/** What {@link WrappedTools} needs. */
export interface WrappedToolsOptions {
  readonly wrap: Wrap | undefined;
  /** The host's own object of a tool, where it keeps a registry. */
  readonly lookup: (name: string) => object | false | undefined;
  /** Told which tool declares which events. */
  readonly declares: (tool: string, events: ReadonlySet<string>) => void;
}

/** The tools of one attachment that subscribe. To be announced once the attachment stands. */
export class WrappedTools {
  readonly #options: WrappedToolsOptions;
  readonly #byName: ReadonlyMap<string, ReadonlySet<string>>;
  /** By the host's own object, since a registered tool may be renamed. */
  readonly #registered: WeakMap<object, { readonly names: ReadonlySet<string>; readonly handler: unknown }> = new WeakMap();

  /** @throws WakeshiftError `bad_request` where `wrap` names what is no event */
  constructor(options: WrappedToolsOptions) {
    this.#options = options;
    const wrap = options.wrap ?? {};
    this.#byName = new Map(typeof wrap === "function" ? [] : Object.entries(wrap).map(([tool, events]) => [tool, eventNames(events)]));
  }

  /** Tells what the tools written down in `wrap` declare. */
  announce(): void {
    for (const [tool, events] of this.#byName) this.#options.declares(tool, events);
  }

  /** `handler`: enters the call of the tool itself. */
  register(name: string, tool: object, { events, handler }: { readonly events: readonly AnyEvent[]; readonly handler: unknown }): void {
    const names = eventNames(events);
    this.#registered.set(tool, { names, handler });
    this.#options.declares(name, names);
  }

  /** The names of the events a tool declares; `undefined`: it isn't wrapped. */
  eventsOf(name: string): ReadonlySet<string> | undefined {
    const { lookup, wrap, declares } = this.#options;
    const tool = lookup(name);
    const registered = typeof tool === "object" ? this.#registered.get(tool) : undefined;
    if (registered !== undefined) return registered.names;
    const events = typeof wrap === "function" ? wrap(name) : undefined;
    if (events === undefined) return this.#byName.get(name);
    const names = eventNames(events);
    declares(name, names);
    return names;
  }

  /** Whether the host is going to run the very handler that was registered here, and not one the author put in its place since. */
  entersItself(name: string): boolean {
    const tool = this.#options.lookup(name);
    if (typeof tool !== "object") return false;
    const registered = this.#registered.get(tool);
    return registered !== undefined && registered.handler === (tool as { readonly handler?: unknown }).handler;
  }

  /** The names written down in `wrap`, which the server should list. */
  get named(): readonly string[] {
    return [...this.#byName.keys()];
  }
}

/** Event names of a declaration. @throws WakeshiftError `bad_request` where something in it is no event */
export function eventNames(events: readonly AnyEvent[]): ReadonlySet<string> {
  const given: unknown = events;
  if (!Array.isArray(given)) throw new WakeshiftError("bad_request", "The events a tool subscribes to must be a list: [crawlFinished].");
  return new Set(events.map((event) => definitionOf(event).name));
}
