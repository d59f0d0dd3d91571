import { EnvHttpProxyAgent } from "undici";
import type { Client } from "undici";
import { WakeshiftError, isLoopbackHost } from "@wakeshift/protocol";
import { connectOnce, introduce } from "./core-channel.ts";
import { CoreExchange } from "./core-exchange.ts";

/** In the order they count. */
const PROXY_VARIABLES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const;
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
  #proxy: EnvHttpProxyAgent | undefined;

  /** @param secretOf - what the core noted at this origin on this machine proves itself with; `undefined`: none was noted. */
  constructor(secretOf: (origin: string) => string | undefined) {
    this.#secretOf = secretOf;
  }

  /**
   * Connects, and asks who answers. Nothing else was sent when this resolves.
   *
   * @throws UnprovenCore; CoreRefusal as {@link CoreExchange.post}
   */
  async open(base: string, signal: AbortSignal): Promise<CoreChannel> {
    const { origin, hostname } = new URL(base);
    const secret = this.#secretOf(origin);
    const proxyVariable = isLoopbackHost(hostname) ? undefined : proxyVariableOf(process.env);
    if (proxyVariable !== undefined) {
      // A pool reconnects as it likes, so what was learned holds for one request only.
      const exchange = new CoreExchange(base, (this.#proxy ??= proxyAgent(base, proxyVariable, process.env)));
      return { coreId: await introduce(exchange, secret, signal), exchange, isOpen: () => false, close: () => undefined };
    }
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

function proxyVariableOf(env: NodeJS.ProcessEnv): string | undefined {
  return PROXY_VARIABLES.find((name) => (env[name] ?? "") !== "");
}

/** Made when a core first needs it: what stands in the variable concerns no other core, and must not keep a bridge from starting. */
function proxyAgent(base: string, variable: string, env: NodeJS.ProcessEnv): EnvHttpProxyAgent {
  const value = env[variable] ?? "";
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "")
    return new EnvHttpProxyAgent({ ...TIMEOUTS, httpProxy: value, httpsProxy: value });
  // The value may hold a password.
  throw new WakeshiftError(
    "unreachable",
    `The core at ${base} can't be reached: ${variable}, as the bridge was started with it, is not a valid proxy URL. Expected for example http://proxy.example:3128. Correct it, then run: wakeshift bridge --stop`,
  );
}
