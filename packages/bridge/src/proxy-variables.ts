/** What a process's environment says about proxies: the variables that are set. A value may hold a password. */
export type ProxyVariables = Readonly<Record<string, string>>;

/** Carries a caller's variables to the bridge, over its socket and nowhere else. */
export const PROXY_HEADER = "wakeshift-proxy";

/** In the order they count. */
const URL_VARIABLES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const;
const EXCEPTIONS = ["no_proxy", "NO_PROXY"] as const;
const MOST_CHARACTERS = 8_000;

export function pickProxyVariables(env: Readonly<Record<string, unknown>>): ProxyVariables {
  return Object.fromEntries(
    [...URL_VARIABLES, ...EXCEPTIONS].flatMap((name) => {
      const value = env[name];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    }),
  );
}

/** The header that hands an environment's proxies over. None where they are too long for one. */
export function proxyHeaderOf(env: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const value = encodeURIComponent(JSON.stringify(pickProxyVariables(env)));
  return value.length > MOST_CHARACTERS ? {} : { [PROXY_HEADER]: value };
}

/** `undefined`: there is none, or it isn't well formed. */
export function readProxyHeader(value: string | undefined): ProxyVariables | undefined {
  try {
    const read: unknown = JSON.parse(decodeURIComponent(value ?? ""));
    return typeof read === "object" && read !== null ? pickProxyVariables(read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export type ProxyChoice =
  | { readonly kind: "none" }
  | { readonly kind: "proxy"; readonly url: string; readonly noProxy: string }
  /** `variable` holds something else than an http or https URL. */
  | { readonly kind: "unusable"; readonly variable: string };

export function chooseProxy(variables: ProxyVariables): ProxyChoice {
  const variable = URL_VARIABLES.find((name) => variables[name] !== undefined);
  if (variable === undefined) return { kind: "none" };
  const value = variables[variable] ?? "";
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "")
    return { kind: "unusable", variable };
  return { kind: "proxy", url: value, noProxy: variables["no_proxy"] ?? variables["NO_PROXY"] ?? "" };
}

/**
 * Whether a bridge should go on with the proxies of a caller's environment. What can't be used gives way to anything that can;
 * what reaches no core gives way to a proxy, but never to a caller that knows of none.
 *
 * @param isFailing - some core that isn't on this machine can't be reached with the present ones.
 */
export function shouldAdopt(present: ProxyVariables, isFailing: boolean, offered: ProxyVariables): boolean {
  const next = chooseProxy(offered).kind;
  if (next === "unusable" || JSON.stringify(present) === JSON.stringify(offered)) return false;
  return chooseProxy(present).kind === "unusable" || (isFailing && next === "proxy");
}
