const LONGEST = 100;
const MOST_REPEATS = 8;
const REPEATS = /[*+?{]/g;
const REPEATED_GROUP = /\)[*+{]/;

/**
 * Whether a schema's pattern for names matches this one. A pattern may come from a server behind a proxy: one that could take long
 * to try isn't tried, and counts as matching. One that is no regular expression matches nothing.
 */
export function mayMatch(pattern: string, name: string): boolean {
  const repeats = pattern.match(REPEATS)?.length ?? 0;
  if (pattern.length > LONGEST || repeats > MOST_REPEATS || REPEATED_GROUP.test(pattern)) return true;
  const compiled = compile(pattern, "u") ?? compile(pattern, "");
  return compiled?.test(name) === true;
}

/** JSON Schema means the unicode flag; many patterns are written without it. */
function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}
