import { cleanLine } from "./frame/clean-text.ts";

/** Characters that no shell gives a meaning to, wherever they stand in a word. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;

/**
 * A command line that we show for somebody to copy. What comes from outside can only be one word of it: it is quoted for a POSIX
 * shell unless it is plain, and can't be taken for an option.
 *
 * @param command - our own words, with options before their values: `["wakeshift", "deny", "--app", id]`. Values are quoted, too
 * @param operands - what the command is about, such as an origin or an id
 */
export function shownCommand(command: readonly string[], operands: readonly string[] = []): string {
  const guard = operands.some((operand) => operand.startsWith("-")) ? ["--"] : [];
  return [...command, ...guard, ...operands].map(shellWord).join(" ");
}

function shellWord(text: string): string {
  const clean = cleanLine(text);
  return PLAIN.test(clean) ? clean : `'${clean.replaceAll("'", `'\\''`)}'`;
}
