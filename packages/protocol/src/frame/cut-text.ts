/** Longer clusters are no joined emoji but heaps of marks, and may be cut between their characters. */
const LONGEST_CLUSTER_BYTES = 128;

const encoder = new TextEncoder();
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Length in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** The longest beginning of `text` that fits into `maxBytes` of UTF-8 and cuts neither a character nor a joined emoji. */
export function cutText(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at least one byte; the surplus keeps the last cluster that could fit whole.
  const window = text.slice(0, Math.max(0, maxBytes) + LONGEST_CLUSTER_BYTES);
  if (window.length === text.length && byteLength(text) <= maxBytes) return text;
  let used = 0;
  let end = 0;
  for (const { segment } of segmenter.segment(window)) {
    for (const part of byteLength(segment) > LONGEST_CLUSTER_BYTES ? segment : [segment]) {
      used += byteLength(part);
      if (used > maxBytes) return text.slice(0, end);
      end += part.length;
    }
  }
  return text.slice(0, end);
}
