import { WakeshiftError } from "./errors.ts";
import { cleanLine } from "./frame/clean-text.ts";

/** Where a core is reached. */
export interface CoreUrl {
  /** Takes the API paths; no slash at its end. */
  readonly base: string;
  /** What the user of a machine allows or denies. */
  readonly origin: string;
  /** The core is on this machine. */
  readonly loopback: boolean;
}

const MAX_CHARACTERS = 300;
const SHOWN_CHARACTERS = 80;

/**
 * `URL` takes characters for a host that a shell takes for its own, such as `;` and `$`. A core's origin is shown inside commands, so
 * its host has letters, digits, `-` and `.` only (other alphabets are `xn--…` in it), or is an IPv6 address in brackets.
 */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/;

/**
 * Reads a core's URL, whoever gave it: https, or http on loopback, since assertions and tickets would travel in the clear; no
 * credentials, query or fragment.
 *
 * @param subject - what the error's sentence is about, such as the name of the setting
 * @throws WakeshiftError `bad_request`
 */
export function parseCoreUrl(text: string, subject = "The core's URL"): CoreUrl {
  const refuse = (why: string): WakeshiftError => new WakeshiftError("bad_request", `${subject} ${why}`);
  const url = text.length <= MAX_CHARACTERS && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")) {
    throw refuse("may not have a user, password, query or fragment. Give only scheme, host, port and path.");
  }
  const meant = withScheme(text);
  if (meant !== undefined) throw refuse(`"${text}" has no scheme. Use ${meant}.`);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:") || !HOST.test(url.hostname)) {
    throw refuse(
      `${JSON.stringify(cleanLine(text.slice(0, SHOWN_CHARACTERS)))} is not valid. Expected for example https://wake.example.com.`,
    );
  }
  const loopback = isLoopbackHost(url.hostname);
  if (url.protocol === "http:" && !loopback) {
    throw refuse(`${url.origin} is refused: http is accepted only on loopback (localhost, 127.0.0.0/8, [::1]). Use https://${url.host}.`);
  }
  return { base: url.origin + url.pathname.replace(/\/+$/, ""), origin: url.origin, loopback };
}

/** The URL that `wake.example.com` or `localhost:4870` was meant for, if it is one without its scheme. */
function withScheme(text: string): string | undefined {
  if (!/^[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._/-]*)?$/.test(text) || !URL.canParse(`https://${text}`)) return undefined;
  const { hostname, host, pathname } = new URL(`https://${text}`);
  // `wake` alone, or `http:`, is as likely a slip of another kind.
  if (!HOST.test(hostname) || /^[a-z][a-z+.-]*:(\/|$)/i.test(text) || !(isLoopbackHost(hostname) || /[.:]/.test(host))) return undefined;
  return `${isLoopbackHost(hostname) ? "http" : "https"}://${host}${pathname === "/" ? "" : pathname}`;
}

/** Whether a host, as `URL` or a listening socket spells it, is `localhost`, in 127.0.0.0/8, or `::1`. No name but `localhost` counts: others are resolved. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
