import { WakeshiftError } from "./errors.ts";

/** Statuses with which a proxy says that what is behind it can't be reached. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

const UNKNOWN_AUTHORITY =
  "Its certificate is signed by an authority that Node doesn't know. Set NODE_EXTRA_CA_CERTS to a file with that authority's certificate (PEM), and restart PROCESS with it.";
const INCOMPLETE_CHAIN = `${UNKNOWN_AUTHORITY} If the authority is a public one, the server doesn't send its whole chain.`;
const NO_TLS = "What listens there doesn't speak TLS. Check the port.";

/** By the code that Node or OpenSSL gives: what it means for whoever asked, and what to do. */
const HINTS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE_CHAIN,
  UNABLE_TO_GET_ISSUER_CERT: INCOMPLETE_CHAIN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE_CHAIN,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "Its certificate has expired. Renew it, or set this machine's clock.",
  CERT_NOT_YET_VALID: "Its certificate is not valid yet. Set this machine's clock.",
  CERT_REVOKED: "Its certificate was revoked. Renew it.",
  ERR_TLS_CERT_ALTNAME_INVALID: "Its certificate is for another name. Use the name it was made for.",
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
};

/**
 * The code of a request that got no response, such as `ECONNREFUSED` or `SELF_SIGNED_CERT_IN_CHAIN`. If several addresses were tried,
 * Node gives an AggregateError whose `code` is that of all.
 */
export function connectionFailureCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; typeof at === "object" && at !== null && depth < 4; depth += 1) {
    const { code, cause } = at as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code)) return code;
    at = cause;
  }
  return undefined;
}

/** Who asked a core, in words. */
export interface CoreAsker {
  /** Where the address comes from, such as `WAKESHIFT_CORE`. */
  readonly setting: string;
  /** What has to be restarted for a changed environment, such as `this process`. */
  readonly process: string;
}

/** The sentence for a request to a core that got no response, by its {@link connectionFailureCode}. */
export function describeUnreachable(core: string, code: string | undefined, { setting, process }: CoreAsker): string {
  const known = code !== undefined && Object.hasOwn(HINTS, code) ? HINTS[code] : undefined;
  const hint = known?.replace("PROCESS", process) ?? `Is it running, and is ${setting} right?`;
  return `The core at ${core} can't be reached${code === undefined ? "" : ` (${code})`}. ${hint}`;
}

/**
 * The error for a response that no core sends. A proxy in front of one sends it while the core is down, or it comes from something
 * else that has this address.
 */
export function foreignResponse(core: string, status: number, { setting }: Pick<CoreAsker, "setting">): WakeshiftError {
  if (GATEWAY_STATUSES.has(status)) {
    const sentence = `A proxy in front of the core at ${core} responded with status ${status}: it can't reach the core, or the core took too long. Check that the core runs, and that the proxy forwards to its port.`;
    return new WakeshiftError("bad_response", sentence, { status, retryable: true });
  }
  return new WakeshiftError(
    "bad_response",
    `${core} responded with status ${status}, and not as a core does. ${foreignHint(status, setting)}`,
  );
}

function foreignHint(status: number, setting: string): string {
  if (status >= 300 && status < 400) return `It redirects elsewhere, and no redirect is followed. Set ${setting} to the core's own URL.`;
  if (status === 401 || status === 403 || status === 407)
    return "Something in front of the core refuses the request. Exempt the core's paths from its sign-in.";
  if (status === 413) return "A proxy in front of the core refuses a body of this size. Allow it 4 MiB.";
  if (status === 429) return "Something in front of the core limits requests. Try again later, or raise its limit.";
  return `Is ${setting} the core's own URL, including its path?`;
}
