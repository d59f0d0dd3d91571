// @ts-check
/** @typedef {import("./judge-coverage.mjs").Requirement & { languages: readonly string[] }} Requirement */
import { scriptOf } from "./cite.mjs";

/**
 * What of the rules of TypeScript is proved by a test, for people: how many, which are left to another run, which due ones lack a test,
 * which aren't due yet.
 * @param {readonly Requirement[]} requirements
 * @param {readonly { id: string }[]} uncited
 * @param {import("./cite.mjs").Proof} proof
 * @returns {string} whole lines
 */
export function coverageReport(requirements, uncited, { proven, elsewhere }) {
  const ours = requirements.filter(({ languages }) => languages.includes("typescript"));
  const lacking = new Set(uncited.map(({ id }) => id));
  const due = ours.filter((requirement) => requirement.due === "now");
  const without = due.filter(({ id }) => lacking.has(id));
  const later = ours.filter((requirement) => requirement.due === "later");
  const ran = due.filter(({ id }) => proven.has(id));
  const lines = [`TypeScript rules proven by a test that ran and passed: ${ran.length} of ${due.length} due`];
  /** @type {Map<string, Requirement[]>} */
  const others = new Map();
  for (const rule of due.filter(({ id }) => !proven.has(id))) {
    const script = (elsewhere.get(rule.id) ?? []).map(scriptOf)[0];
    if (script !== undefined) others.set(script, [...(others.get(script) ?? []), rule]);
  }
  for (const [script, rules] of others) lines.push(`  proven by npm run ${script}: ${names(rules)}`);
  if (without.length > 0) lines.push(`  without one: ${names(without)}`);
  if (later.length > 0) lines.push(`  not yet due: ${names(later)}`);
  return `${lines.join("\n")}\n`;
}

/**
 * Ids, with runs of consecutive numbers drawn together. The part of a split rule, such as `seed-106a`, stands by itself.
 * @param {readonly Requirement[]} requirements
 */
function names(requirements) {
  /** @type {{ prefix: string, first: string, last: string }[]} */
  const runs = [];
  for (const { id } of requirements) {
    const [prefix = "", place = ""] = id.split("-");
    const run = runs.at(-1);
    if (run?.prefix === prefix && Number(run.last) === Number(place) - 1) run.last = place;
    else runs.push({ prefix, first: place, last: place });
  }
  return runs.map(({ prefix, first, last }) => `${prefix}-${first}${last === first ? "" : `…${last}`}`).join(", ");
}
