const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

/**
 * Whether an object of a JSON text names a field twice. Readers differ in which of the two counts, so that what was checked on the
 * way here need not be what is read here.
 *
 * @param value - what the text was read as, with the last of each name.
 */
export function hasRepeatedNames(text: string, value: unknown): boolean {
  return namesWritten(text) !== namesRead(value);
}

/** Counts the strings of a valid JSON text that stand before a colon. */
function namesWritten(text: string): number {
  let names = 0;
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    let next = end + 1;
    while (text.charCodeAt(next) <= SPACE) next += 1;
    if (text.charCodeAt(next) === COLON) names += 1;
    start = text.indexOf('"', end + 1);
  }
  return names;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}

/** Without recursion: a body may nest as deep as it is long. */
function namesRead(value: unknown): number {
  let names = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== "object" || one === null) continue;
    const inner: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    if (inner !== one) names += inner.length;
    for (const each of inner) if (typeof each === "object" && each !== null) left.push(each);
  }
  return names;
}
