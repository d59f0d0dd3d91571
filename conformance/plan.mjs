import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVERYWHERE, WAYS } from "./ways.mjs";

/**
 * @typedef {{ id: string, statement: string, due: string, languages: readonly string[] }} Rule
 * @typedef {{ check: string, rules: readonly string[], over?: readonly string[], slow?: boolean, statement?: string }} Check
 * @typedef {{ rules: readonly string[], reason: string }} Reason
 * @typedef {{ checks: readonly Check[], reasons: readonly Reason[], requirements: readonly Rule[] }} Lists
 * @typedef {{ id: string, statement: string }} PlannedRule
 * @typedef {{ check: string, over: readonly string[], slow: boolean, rules: readonly PlannedRule[] }} Planned
 */

export const LANGUAGES = ["typescript", "python", "go"];

/** @returns {Lists} what checks.json, reasons.json and the rules say */
export function readLists() {
  const { requirements } = readJson("../spec/requirements.json");
  return { checks: readJson("checks.json"), reasons: readJson("reasons.json"), requirements };
}

/**
 * What is to run for a language: each check with the ways it takes and the rules it shows.
 * @throws where the lists don't agree: one that names what isn't there is no list, a check that runs nowhere would hold, and a due
 * rule of all languages has a check or a reason
 * @param {{ language: string, only?: readonly string[] | undefined, names: readonly string[], lists: Lists }} options `only`: these
 * rules; `names`: the checks there are
 * @returns {readonly Planned[]}
 */
export function planOf({ language, only, names, lists }) {
  if (!LANGUAGES.includes(language)) throw new Error(`--language takes one of ${LANGUAGES.join(", ")}.`);
  const { checks, reasons, requirements } = lists;
  const faults = [...faultsOf(checks, new Set(names)), ...unshown(requirements, checks, reasons)];
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const known = new Map(requirements.map((rule) => [rule.id, rule]));
  const planned = checks.map(({ check, over = EVERYWHERE, slow = false, rules, statement = "" }) => ({
    check,
    over,
    slow,
    rules: rules
      .map((id) => known.get(id) ?? { id, statement, languages: LANGUAGES })
      .filter(({ id, languages }) => languages.includes(language) && (only?.includes(id) ?? true)),
  }));
  const wanted = planned.filter(({ rules }) => rules.length > 0);
  const shown = new Set(wanted.flatMap(({ rules }) => rules.map(({ id }) => id)));
  const unknown = (only ?? []).filter((id) => !shown.has(id));
  if (unknown.length > 0) throw new Error(`No check shows ${unknown.join(", ")} for ${language}.`);
  if (wanted.length === 0) throw new Error("No check is left to run.");
  return wanted;
}

/**
 * @param {readonly Check[]} checks
 * @param {ReadonlySet<string>} names
 * @returns {string[]}
 */
function faultsOf(checks, names) {
  const listed = checks.map(({ check }) => check);
  const taken = new Set(checks.flatMap(({ over = EVERYWHERE }) => over));
  return [
    ...[...names].filter((name) => !listed.includes(name)).map((name) => `checks.json doesn't list the check ${name}.`),
    ...repeated(listed).map((check) => `checks.json lists the check ${check} twice.`),
    ...checks.flatMap(({ check, over = EVERYWHERE, rules }) => [
      ...(names.has(check) ? [] : [`checks.json lists the check ${check}, which isn't there.`]),
      ...(rules.length === 0 ? [`The check ${check} shows no rule.`] : []),
      ...(over.length === 0 ? [`The check ${check} is to run over no way.`] : []),
      ...over.filter((way) => !(way in WAYS)).map((way) => `The check ${check} is to run over ${way}, which is no way.`),
      ...repeated(over).map((way) => `The check ${check} is to run over ${way} twice.`),
    ]),
    ...Object.keys(WAYS)
      .filter((way) => !taken.has(way))
      .map((way) => `No check runs over ${way}.`),
  ];
}

/**
 * Where a rule that every language must keep is shown by nothing, or is said to be shown by nothing and isn't.
 * @param {readonly Rule[]} requirements
 * @param {readonly Check[]} checks
 * @param {readonly Reason[]} reasons
 * @returns {string[]}
 */
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
    ...repeated(excused).map((id) => `reasons.json names ${id} twice.`),
  ];
}

/**
 * @param {readonly string[]} names
 * @returns {string[]}
 */
function repeated(names) {
  return [...new Set(names.filter((name, place) => names.indexOf(name) !== place))];
}

/**
 * @param {string} path
 * @returns {any}
 */
function readJson(path) {
  return JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8"));
}
