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
 * @property {readonly Requirement[]} uncited whatever is due
 */

/**
 * Compares the rules with the tests that cite them.
 * @param {readonly Requirement[]} requirements
 * @param {ReadonlyMap<string, readonly string[]>} citations rule id to the files that cite it
 * @param {readonly { id: string, reason: string }[]} excused
 * @returns {Coverage}
 */
export function judgeCoverage(requirements, citations, excused) {
  const known = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const excuses = new Map(excused.map(({ id, reason }) => [id, reason]));
  /** @type {string[]} */
  const faults = [];
  for (const [id, files] of citations) {
    if (!known.has(id))
      faults.push(`${id} is cited in ${files.join(", ")}, but spec/requirements.json has no such rule. Correct the id, or add the rule.`);
  }
  const uncited = requirements.filter(({ id }) => !citations.has(id));
  for (const { id, due, statement } of uncited) {
    if (due === "now" && !excuses.has(id)) {
      faults.push(
        `${id} is due, and no test cites it: "${statement}" Name ${id} in the title of the test that proves it, or excuse it in spec/excused.json.`,
      );
    }
  }
  for (const id of excuses.keys()) {
    if (!known.has(id)) faults.push(`spec/excused.json excuses ${id}, which is no rule.`);
    else if (citations.has(id))
      faults.push(`spec/excused.json excuses ${id}, but ${citations.get(id)?.join(", ")} cites it: take the excuse out.`);
    else if (known.get(id)?.due !== "now") faults.push(`spec/excused.json excuses ${id}, which is not due: take the excuse out.`);
  }
  if (excuses.size !== excused.length) faults.push("spec/excused.json names a rule twice.");
  return { faults, uncited };
}
