import { WakeshiftError } from "@wakeshift/protocol";

/** Where a core is reached: `base` takes the API paths, `origin` is what the user allows. */
export interface CoreAddress {
  readonly base: string;
  readonly origin: string;
}

const MAX_CHARACTERS = 300;

/**
 * Reads a core's URL as a result or the user gives it: https, or http on loopback; no credentials, query or fragment.
 *
 * @throws WakeshiftError `bad_request`
 */
export function parseCoreAddress(text: string): CoreAddress {
  const url = text.length <= MAX_CHARACTERS && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new WakeshiftError("bad_request", `${quote(text)} is no address of a core. Write one like https://wake.example.com.`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new WakeshiftError(
      "bad_request",
      `The address of a core has no credentials, query or fragment: ${quote(url.origin)} alone would do.`,
    );
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    throw new WakeshiftError(
      "bad_request",
      `${quote(url.origin)} is neither https nor on this machine. Wakeshift speaks http on loopback only.`,
    );
  }
  return { base: url.origin + url.pathname.replace(/\/+$/, ""), origin: url.origin };
}

/** `localhost`, 127.0.0.0/8 and ::1, as `URL` spells them. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
