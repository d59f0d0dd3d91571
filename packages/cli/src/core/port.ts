import { WakeshiftError } from "@wakeshift/protocol";

/**
 * Reads `--port`.
 *
 * @throws WakeshiftError `bad_request` for anything but a whole number from 0 to 65535.
 */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new WakeshiftError("bad_request", `--port takes a number from 0 to 65535, not "${text}".`);
  return port;
}
