// @ts-check
/** @typedef {import("./judge-coverage.mjs").Requirement & { languages: readonly string[] }} Requirement */

/**
 * What of the rules of TypeScript is proved by a test, for people: how many, which due ones lack one, which aren't due yet.
 * @param {readonly Requirement[]} requirements
 * @param {readonly { id: string }[]} uncited
 * @returns {string} whole lines
 */
export function coverageReport(requirements, uncited) {
  const ours = requirements.filter(({ languages }) => languages.includes("typescript"));
  const lacking = new Set(uncited.map(({ id }) => id));
  const due = ours.filter((requirement) => requirement.due === "now");
  const without = due.filter(({ id }) => lacking.has(id));
  const later = ours.filter((requirement) => requirement.due === "later");
  const lines = [`TypeScript rules with a citing test: ${due.length - without.length} of ${due.length} due`];
  if (without.length > 0) lines.push(`  without one: ${names(without)}`);
  if (later.length > 0) lines.push(`  not yet due: ${names(later)}`);
  return `${lines.join("\n")}\n`;
}

/**
 * Ids, with runs of consecutive numbers drawn together.
 * @param {readonly Requirement[]} requirements
 */
function names(requirements) {
  /** @type {{ prefix: string, first: number, last: number }[]} */
  const runs = [];
  for (const { id } of requirements) {
    const [prefix = "", digits = ""] = id.split("-");
    const last = runs.at(-1);
    if (last?.prefix === prefix && last.last === Number(digits) - 1) last.last += 1;
    else runs.push({ prefix, first: Number(digits), last: Number(digits) });
  }
  return runs
    .map(({ prefix, first, last }) => `${prefix}-${pad(prefix, first)}${last === first ? "" : `…${pad(prefix, last)}`}`)
    .join(", ");
}

/**
 * @param {string} prefix
 * @param {number} number
 */
function pad(prefix, number) {
  return prefix === "PC" ? String(number).padStart(2, "0") : String(number);
}
