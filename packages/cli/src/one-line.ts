import { cleanText } from "@wakeshift/protocol";

/** Somebody's words on one line of a terminal: no control, bidirectional or line-breaking characters. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/[\n\t]+/g, " ");
}
