// node conformance/run.mjs [--language typescript] [--only RULE,RULE] [--expect-failure] [-- COMMAND …]
// Drives an "everything" server (conformance/README.md) against a core, and says for each rule whether it holds.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as calling from "./checks/calling.mjs";
import * as delivering from "./checks/delivering.mjs";
import * as listing from "./checks/listing.mjs";
import * as opening from "./checks/opening.mjs";
import { World } from "./world.mjs";

const LANGUAGES = ["typescript", "python", "go"];
const CHECK_MS = 90_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    language: { type: "string", default: "typescript" },
    only: { type: "string" },
    "expect-failure": { type: "boolean", default: false },
  },
});
const command = positionals.length > 0 ? positionals : [process.execPath, join(import.meta.dirname, "servers", "typescript", "server.mjs")];

const functions = { ...listing, ...calling, ...delivering, ...opening };
const planned = plan(readJson("checks.json"), readJson("../spec/requirements.json").requirements);
const world = new World(command);
let failed = 0;
let passed = 0;
try {
  await world.start();
  for (const { check, rules } of planned) {
    const fault = await run(functions[check]);
    for (const { id, statement } of rules) {
      console.log(`${fault === undefined ? "ok" : "not ok"} ${id} ${statement}`);
      if (fault === undefined) passed += 1;
      else failed += 1;
    }
    if (fault !== undefined) console.log(`  ${check}: ${fault.split("\n").join("\n  ")}`);
  }
} finally {
  await world.close();
}
console.log(`conformance: ${passed} rules ok, ${failed} not ok (${values.language})`);
// Of a server that does nothing of all this, every check must notice it: one that passes checks nothing.
process.exit((values["expect-failure"] ? passed : failed) === 0 ? 0 : 1);

/** The checks to run for a language, each with the rules it shows. A list that names what isn't there is no list. */
function plan(checks, requirements) {
  if (!LANGUAGES.includes(values.language)) stop(`--language takes one of ${LANGUAGES.join(", ")}.`);
  const known = new Map(requirements.map((rule) => [rule.id, rule]));
  const listed = new Set(checks.map(({ check }) => check));
  for (const name of Object.keys(functions)) if (!listed.has(name)) stop(`checks.json doesn't list the check ${name}.`);
  const rulesOf = ({ check, rules, statement }) => {
    if (functions[check] === undefined) stop(`checks.json lists the check ${check}, which isn't there.`);
    return rules.map(
      (id) => known.get(id) ?? (statement === undefined ? stop(`There is no rule ${id}.`) : { id, statement, languages: LANGUAGES }),
    );
  };
  const only = values.only?.split(",");
  const plans = checks.map((one) => ({
    check: one.check,
    rules: rulesOf(one).filter(({ id, languages }) => languages.includes(values.language) && (only?.includes(id) ?? true)),
  }));
  const wanted = plans.filter(({ rules }) => rules.length > 0);
  if (wanted.length === 0) stop("No check is left to run.");
  return wanted;
}

/** What went wrong, as text; `undefined`: nothing. */
async function run(check) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("it took longer than 90 seconds")), CHECK_MS);
  });
  try {
    await Promise.race([check(world), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8"));
}

function stop(sentence) {
  console.error(sentence);
  process.exit(2);
}
