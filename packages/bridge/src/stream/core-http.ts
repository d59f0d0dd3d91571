import { EnvHttpProxyAgent } from "undici";
import type { Client } from "undici";
import { WakeshiftError, isLoopbackHost } from "@wakeshift/protocol";
import type { ProxyVariables } from "../proxy-variables.ts";
import { chooseProxy, pickProxyVariables, shouldAdopt } from "../proxy-variables.ts";
import { connectOnce, introduce } from "./core-channel.ts";
import { CoreExchange } from "./core-exchange.ts";

const TIMEOUTS = { connect: { timeout: 10_000 }, headersTimeout: 30_000, bodyTimeout: 0 } as const;

/** A way to a core that has said, and if it was noted on this machine also proven, who it is. */
export interface CoreChannel {
  /** `undefined`: a core from before cores had ids. */
  readonly coreId: string | undefined;
  readonly exchange: CoreExchange;
  /** Whether what was learned still holds for a further request. */
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

/** Opens channels to cores. Loopback is reached without any proxy. */
export class CoreHttp {
  readonly #secretOf: (origin: string) => string | undefined;
  readonly #clients = new Set<Client>();
  #proxies: ProxyVariables;
  #proxy: EnvHttpProxyAgent | undefined;
  /** Cores on other machines that couldn't be reached when last tried. */
  readonly #failing = new Set<string>();

  /** @param secretOf - what the core noted at this origin on this machine proves itself with; `undefined`: none was noted. */
  constructor(secretOf: (origin: string) => string | undefined, proxies: ProxyVariables = pickProxyVariables(process.env)) {
    this.#secretOf = secretOf;
    this.#proxies = proxies;
  }

  /** Goes on with a caller's proxies where the present ones don't work. @returns whether it does */
  offerProxies(offered: ProxyVariables): boolean {
    if (!shouldAdopt(this.#proxies, this.#failing.size > 0, offered)) return false;
    this.#proxies = offered;
    // What still streams through it goes on.
    void this.#proxy?.close().catch(() => undefined);
    this.#proxy = undefined;
    return true;
  }

  /**
   * Connects, and asks who answers. Nothing else was sent when this resolves.
   *
   * @throws UnprovenCore; CoreRefusal as {@link CoreExchange.post}
   */
  async open(base: string, signal: AbortSignal): Promise<CoreChannel> {
    const { hostname } = new URL(base);
    if (isLoopbackHost(hostname)) return this.#openDirect(base, signal);
    try {
      const proxy = (this.#proxy ??= proxyAgent(base, this.#proxies));
      const channel = await (proxy === undefined ? this.#openDirect(base, signal) : this.#openThrough(proxy, base, signal));
      this.#failing.delete(base);
      return channel;
    } catch (error) {
      if (!signal.aborted) this.#failing.add(base);
      throw error;
    }
  }

  async #openThrough(proxy: EnvHttpProxyAgent, base: string, signal: AbortSignal): Promise<CoreChannel> {
    // A pool reconnects as it likes, so what was learned holds for one request only.
    const exchange = new CoreExchange(base, proxy);
    const secret = this.#secretOf(new URL(base).origin);
    return { coreId: await introduce(exchange, secret, signal), exchange, isOpen: () => false, close: () => undefined };
  }

  async #openDirect(base: string, signal: AbortSignal): Promise<CoreChannel> {
    const { origin } = new URL(base);
    const secret = this.#secretOf(origin);
    const client = connectOnce(origin, TIMEOUTS);
    this.#clients.add(client);
    let open = true;
    const close = (): void => {
      open = false;
      this.#clients.delete(client);
      void client.destroy().catch(() => undefined);
    };
    client.once("disconnect", close);
    try {
      const exchange = new CoreExchange(base, client);
      return { coreId: await introduce(exchange, secret, signal), exchange, isOpen: () => open, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#clients].map((client) => client.destroy()));
    await this.#proxy?.destroy().catch(() => undefined);
  }
}

/** Made when a core first needs it: what is in the variable concerns no other core, and must not keep a bridge from starting. */
function proxyAgent(base: string, variables: ProxyVariables): EnvHttpProxyAgent | undefined {
  const choice = chooseProxy(variables);
  if (choice.kind === "none") return undefined;
  if (choice.kind === "proxy")
    return new EnvHttpProxyAgent({ ...TIMEOUTS, httpProxy: choice.url, httpsProxy: choice.url, noProxy: choice.noProxy });
  // The value may hold a password.
  throw new WakeshiftError(
    "unreachable",
    `The core at ${base} can't be reached: ${choice.variable}, as the bridge was started with it, is not a valid proxy URL. Expected for example http://proxy.example:3128. Correct it; the next hook or command that runs with the corrected one hands it over.`,
  );
}
