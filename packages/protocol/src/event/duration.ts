import { WakeshiftError } from "../errors.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const TEXT = /^(0|[1-9][0-9]{0,15})(ms|s|m|h|d)$/;

/**
 * Reads a duration: a whole number of milliseconds, or a text like `"500ms"`, `"90s"`, `"10m"`, `"24h"`, `"7d"`.
 *
 * @returns milliseconds, a whole number of at least 0. What is too short or too long for its use is the caller's to refuse.
 * @throws WakeshiftError `bad_request`
 */
export function parseDuration(value: number | string): number {
  const milliseconds = typeof value === "string" ? parseText(value) : value;
  if (!Number.isSafeInteger(milliseconds) || milliseconds < 0) {
    const shown = typeof value === "number" ? String(value) : JSON.stringify(String(value).slice(0, 40));
    throw new WakeshiftError("bad_request", `${shown} is no duration. Write whole milliseconds, or a text like "90s", "10m", "24h", "7d".`);
  }
  return milliseconds;
}

function parseText(text: string): number {
  const [, count = "", unit = ""] = TEXT.exec(text) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}
