/**
 * Terminal escape sequences by their grammar (ECMA-48), each part bounded so that an unended one can't swallow the text:
 * control sequences, strings ended by BEL or ST on their own line, two- and three-character escapes.
 */
const ESCAPES =
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\r\n]{0,256}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,4}[0-~]/g;

/** Everything that some reader takes for a line's end. */
const LINE_ENDS = /\r\n|[\r\v\f\x85\u2028\u2029]/g;

/** Control characters but tab and newline, and what starts, separates and ends an interlinear annotation or a hieroglyph's layout. */
const CONTROLS = String.raw`[\0-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb\u{13430}-\u{1343f}]`;

/** Scripts that are misspelled without joiners, such as Persian with U+200C and Malayalam with U+200D. */
const JOINING_SCRIPTS = "Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt".replace(
  /\w+ ?/g,
  (name) => String.raw`\p{scx=${name.trim()}}`,
);

/**
 * The invisible characters that a reader would miss: joiners inside of the scripts above and of a joined emoji, the selector that makes
 * an emoji of a symbol, or of a digit in a keycap. Each directly behind a visible character, so that rows of them hide nothing.
 */
const MEANT = [
  String.raw`(?<=[${JOINING_SCRIPTS}])(?<!\p{DI})[\u200c\u200d]`,
  String.raw`(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
].join("|");

/**
 * What is removed from a text that is shown, and shown as its escape in JSON: controls, and whatever Unicode calls ignorable because it
 * shows nothing (zero-width, bidirectional and tag characters, fillers, selectors), unless it is meant.
 */
const HIDDEN_CHARACTERS = new RegExp(String.raw`${CONTROLS}|(?=\p{DI})(?!${MEANT})\p{DI}`, "gu");

const ESCAPED = new RegExp(String.raw`${HIDDEN_CHARACTERS.source}|[\u2028\u2029]|\p{Surrogate}`, "gu");

const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * Cleans a text from outside for showing: terminal escapes, control characters other than newline and tab, and invisible characters
 * go; every kind of line end becomes a newline; half a surrogate pair becomes U+FFFD. Joined emoji and joined letters stay.
 * Cleaning a cleaned text changes nothing.
 */
export function cleanText(text: string): string {
  return text.replace(LONE_SURROGATES, "\ufffd").replace(ESCAPES, "").replace(LINE_ENDS, "\n").replace(HIDDEN_CHARACTERS, "");
}

/**
 * A line of a log, or JSON, in which every character that would steer a terminal or show nothing stands as its escape. JSON still says
 * the same.
 */
export function escapeHidden(text: string): string {
  return text.replace(ESCAPED, (character) =>
    Array.from({ length: character.length }, (_, place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** {@link cleanText} on one line, for where a line of its own would be read as ours. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/[\n\t]+/g, " ");
}
