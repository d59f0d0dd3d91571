// @ts-check
/**
 * @typedef {object} Requirement
 * @property {string} id
 * @property {"now" | "later"} due
 * @property {string} statement
 */
/**
 * @typedef {object} Coverage
 * @property {readonly string[]} faults sentences; none means all is well
 * @property {readonly Requirement[]} uncited not proven by any run, whatever is due
 */

/**
 * Compares the rules with the tests that prove them.
 * @param {readonly Requirement[]} requirements
 * @param {import("./cite.mjs").Proof} proof
 * @param {readonly { id: string, reason: string }[]} excused
 * @returns {Coverage}
 */
export function judgeCoverage(requirements, { proven, elsewhere, unproven }, excused) {
  const known = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const excuses = new Map(excused.map(({ id, reason }) => [id, reason]));
  const filesOf = (/** @type {string} */ id) => [...(proven.get(id) ?? []), ...(elsewhere.get(id) ?? [])];
  /** @type {string[]} */
  const faults = [];
  for (const id of new Set([...proven.keys(), ...elsewhere.keys(), ...unproven.keys()])) {
    if (known.has(id)) continue;
    const files = [...filesOf(id), ...(unproven.get(id) ?? [])].join(", ");
    faults.push(`${id} is cited in ${files}, but spec/requirements.json has no such rule. Correct the id, or add the rule.`);
  }
  const uncited = requirements.filter(({ id }) => filesOf(id).length === 0);
  for (const { id, due, statement } of uncited) {
    if (due === "now" && !excuses.has(id)) faults.push(missing(id, statement, unproven.get(id)));
  }
  for (const id of excuses.keys()) {
    if (!known.has(id)) faults.push(`spec/excused.json excuses ${id}, which is not a rule.`);
    else if (filesOf(id).length > 0)
      faults.push(`spec/excused.json excuses ${id}, but ${filesOf(id).join(", ")} cites it: take the excuse out.`);
    else if (known.get(id)?.due !== "now") faults.push(`spec/excused.json excuses ${id}, which is not due: take the excuse out.`);
  }
  if (excuses.size !== excused.length) faults.push("spec/excused.json names a rule twice.");
  return { faults, uncited };
}

/**
 * @param {string} id
 * @param {string} statement
 * @param {readonly string[] | undefined} files whose tests cite it and didn't pass
 */
function missing(id, statement, files) {
  if (files !== undefined)
    return `${id} is due, and what cites it in ${files.join(", ")} was skipped or failed: "${statement}" Make that test run and pass, or prove ${id} by one that does.`;
  return `${id} is due, and no test cites it: "${statement}" Name ${id} in the title of the test that proves it, or excuse it in spec/excused.json.`;
}
