/**
 * Terminal escape sequences by their grammar (ECMA-48), each part bounded so that an unended one can't swallow the text:
 * control sequences, strings ended by BEL or ST on their own line, two- and three-character escapes.
 */
const ESCAPES =
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\r\n]{0,256}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,4}[0-~]/g;

/** Everything that some reader takes for a line's end. */
const LINE_ENDS = /\r\n|[\r\v\f\x85\u2028\u2029]/g;

/** Control characters but tab and newline; bidirectional marks, embeddings and isolates; interlinear annotations; tag characters. */
const REMOVED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** A second variation selector has no meaning, but rows of them carry hidden text. */
const SURPLUS_SELECTORS = /([\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;

/**
 * Cleans a text from outside for showing: terminal escapes, control characters other than newline and tab, bidirectional and tag
 * characters go; every kind of line end becomes a newline; half a surrogate pair becomes U+FFFD. Joined emoji stay.
 * Cleaning a cleaned text changes nothing.
 */
export function cleanText(text: string): string {
  return text
    .replace(LONE_SURROGATES, "\ufffd")
    .replace(ESCAPES, "")
    .replace(LINE_ENDS, "\n")
    .replace(REMOVED, "")
    .replace(SURPLUS_SELECTORS, "$1");
}
