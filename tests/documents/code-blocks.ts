import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A piece of TypeScript in a document. */
export interface CodeBlock {
  readonly document: string;
  /** Of its first line, from 1. */
  readonly line: number;
  readonly code: string;
}

/** A statement that stands between paragraphs without a fence. */
const LOOSE_STATEMENT = /^(const \w+ = (wake|new Wakeshift)\b|await \w+\.emit\()/;

/** Every TypeScript block of a folder's Markdown, fenced or standing as a paragraph of its own. */
export function codeBlocksIn(folder: string): readonly CodeBlock[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .flatMap((document) => blocksOf(document, readFileSync(join(folder, document), "utf8").split("\n")));
}

function blocksOf(document: string, lines: readonly string[]): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const fence = /^```(\w*)/.exec(line);
    const start = fence === null ? at : at + 1;
    if (fence === null && !LOOSE_STATEMENT.test(line)) continue;
    const isEnd = (text: string): boolean => (fence === null ? text.trim() === "" : text.startsWith("```"));
    for (at = start; at < lines.length && !isEnd(lines[at] ?? ""); at += 1);
    if (fence === null || /^(ts|typescript)$/.test(fence[1] ?? ""))
      blocks.push({ document, line: start + 1, code: lines.slice(start, at).join("\n") });
  }
  return blocks;
}
