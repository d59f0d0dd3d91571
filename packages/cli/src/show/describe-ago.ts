const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** How long ago something was, in its largest unit: `3 minutes ago`. */
export function describeAgo(milliseconds: number): string {
  for (const [unit, length] of UNITS) {
    const count = Math.floor(milliseconds / length);
    if (count > 0) return `${String(count)} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
