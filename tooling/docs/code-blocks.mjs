// @ts-check
/**
 * @typedef {object} Block
 * @property {number} line of its first code line, from 1
 * @property {string} code
 * @property {"alone" | "continued" | "skipped"} mark
 */

const FENCE = /^( *)(`{3,})\s*(\S*)\s*(.*)$/;

/**
 * The `ts` blocks of a Markdown page. Behind `ts` a fence may say `continued` (it goes on from the block before it) or
 * `not compiled: REASON`.
 * @param {string} markdown
 * @returns {{ blocks: readonly Block[], faults: readonly string[] }}
 */
export function codeBlocks(markdown) {
  /** @type {Block[]} */
  const blocks = [];
  /** @type {string[]} */
  const faults = [];
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = "", ticks, language = "", info = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (ticks === undefined) continue;
    const start = at + 1;
    for (at = start; at < lines.length && lines[at]?.trim() !== ticks; at += 1);
    if (at === lines.length) faults.push(`${start}: the code block never ends.`);
    if (!/^(ts|typescript)$/.test(language)) continue;
    const mark = markOf(info.trim());
    if (mark === undefined)
      faults.push(`${start}: "${info}" is no mark. Write "continued" or "not compiled: REASON" behind ts, or nothing.`);
    else if (mark === "continued" && blocks.at(-1) === undefined) faults.push(`${start}: there is no block before it to continue.`);
    else
      blocks.push({
        line: start + 1,
        code: lines
          .slice(start, at)
          .map((line) => line.slice(Math.min(indent.length, line.length)))
          .join("\n"),
        mark,
      });
  }
  return { blocks, faults };
}

/**
 * @param {string} info
 * @returns {Block["mark"] | undefined}
 */
function markOf(info) {
  if (info === "") return "alone";
  if (info === "continued") return "continued";
  return /^not compiled: \S.{9,}/.test(info) ? "skipped" : undefined;
}

/**
 * Puts blocks that go together into one module, each line at the line it has on the page, so that the compiler's errors point there.
 * @param {readonly Block[]} blocks
 * @returns {readonly string[]}
 */
export function modulesOf(blocks) {
  /** @type {string[]} */
  const modules = [];
  for (const { line, code, mark } of blocks) {
    if (mark === "skipped") continue;
    const before = mark === "continued" ? (modules.pop() ?? "") : "";
    modules.push(before + "\n".repeat(line - 1 - (before.split("\n").length - 1)) + code);
  }
  return modules;
}
