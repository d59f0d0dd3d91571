import { byteLength } from "./cut-text.ts";

const MARK = "…";
const MARK_BYTES = 3;

/** The text, or as much of its beginning as fits into `maxBytes` of UTF-8 with an ellipsis behind it. No character is halved. */
export function cutToBytes(text: string, maxBytes: number): string {
  // Three bytes is the most that one UTF-16 unit takes.
  if (text.length * 3 <= maxBytes || byteLength(text) <= maxBytes) return text;
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += byteLength(character);
    if (used > maxBytes - MARK_BYTES) break;
    end += character.length;
  }
  return text.slice(0, end) + MARK;
}
