import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVERYWHERE, WAYS } from "./ways.mjs";

export const LANGUAGES = ["typescript", "python", "go"];

/**
 * What is to run for a language: each check with the ways it takes and the rules it shows.
 * @throws where checks.json or reasons.json and the rules don't agree: a list that names what isn't there is no list, and a due rule
 * of all languages has a check or a reason
 * @param {{ language: string, only?: readonly string[], functions: Record<string, Function> }} options
 */
export function planOf({ language, only, functions }) {
  if (!LANGUAGES.includes(language)) throw new Error(`--language takes one of ${LANGUAGES.join(", ")}.`);
  const [checks, reasons] = [readJson("checks.json"), readJson("reasons.json")];
  const { requirements } = readJson("../spec/requirements.json");
  const faults = [...faultsOf(checks, functions), ...unshown(requirements, checks, reasons)];
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const known = new Map(requirements.map((rule) => [rule.id, rule]));
  const planned = checks.map(({ check, over = EVERYWHERE, slow = false, rules, statement }) => ({
    check,
    over,
    slow,
    rules: rules
      .map((id) => known.get(id) ?? { id, statement, languages: LANGUAGES })
      .filter(({ id, languages }) => languages.includes(language) && (only?.includes(id) ?? true)),
  }));
  const wanted = planned.filter(({ rules }) => rules.length > 0);
  if (wanted.length === 0) throw new Error("No check is left to run.");
  return wanted;
}

function faultsOf(checks, functions) {
  const listed = new Set(checks.map(({ check }) => check));
  return [
    ...Object.keys(functions)
      .filter((name) => !listed.has(name))
      .map((name) => `checks.json doesn't list the check ${name}.`),
    ...checks.flatMap(({ check, over = [] }) => [
      ...(functions[check] === undefined ? [`checks.json lists the check ${check}, which isn't there.`] : []),
      ...over.filter((way) => !(way in WAYS)).map((way) => `The check ${check} is to run over ${way}, which is no way.`),
    ]),
  ];
}

/** Where a rule that every language must keep is shown by nothing, or is said to be shown by nothing and isn't. */
function unshown(requirements, checks, reasons) {
  const known = new Set(requirements.map(({ id }) => id));
  const shown = new Set(checks.flatMap(({ rules }) => rules));
  const excused = reasons.flatMap(({ rules }) => rules);
  const due = requirements.filter((rule) => rule.due === "now" && LANGUAGES.every((each) => rule.languages.includes(each)));
  const dueIds = new Set(due.map(({ id }) => id));
  return [
    ...checks
      .filter(({ statement }) => statement === undefined)
      .flatMap(({ rules }) => rules.filter((id) => !known.has(id)).map((id) => `checks.json names ${id}, which is no rule.`)),
    ...due
      .filter(({ id }) => !shown.has(id) && !excused.includes(id))
      .map(({ id, statement }) => `${id} has neither a check in checks.json nor a reason in reasons.json: ${statement}`),
    ...excused.filter((id) => !dueIds.has(id)).map((id) => `reasons.json names ${id}, which is no due rule of all languages.`),
    ...excused.filter((id) => shown.has(id)).map((id) => `reasons.json names ${id}, which has a check.`),
    ...excused.filter((id, place) => excused.indexOf(id) !== place).map((id) => `reasons.json names ${id} twice.`),
  ];
}

function readJson(path) {
  return JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8"));
}
