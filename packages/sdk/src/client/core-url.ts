import { WakeshiftError } from "@wakeshift/protocol";

const LOOPBACK_NAME = /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads a core's URL: https, or http to loopback only, since assertions and session keys would travel in the clear.
 * Answers it without a trailing slash.
 * @throws WakeshiftError `bad_request`
 */
export function parseCoreUrl(text: string): string {
  if (!URL.canParse(text))
    throw new WakeshiftError("bad_request", `The core's URL ${JSON.stringify(text)} is no URL. Give one like https://core.example.com.`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new WakeshiftError("bad_request", "The core's URL may carry no user, password, query or fragment.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new WakeshiftError("bad_request", `The core's URL begins with ${url.protocol}// where https:// is needed.`);
  }
  if (url.protocol === "http:" && !LOOPBACK_NAME.test(url.hostname)) {
    throw new WakeshiftError(
      "bad_request",
      `The core's URL http://${url.host} is refused: http is taken only for loopback. Use https://${url.host}.`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
