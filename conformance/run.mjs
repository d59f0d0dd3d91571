// node conformance/run.mjs [--language typescript] [--only RULE,RULE] [--expect-failure] [-- COMMAND …]
// Drives an "everything" server (conformance/README.md) against a core, and says for each rule whether it holds.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CHECKS } from "./all-checks.mjs";
import { planOf, readLists } from "./plan.mjs";
import { World } from "./world.mjs";

const CHECK_MS = 90_000;
/** Checks at a time. Each owns what it looks at. */
const LANES = 4;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    language: { type: "string", default: "typescript" },
    only: { type: "string" },
    "expect-failure": { type: "boolean", default: false },
  },
});
const command = positionals.length > 0 ? positionals : [process.execPath, join(import.meta.dirname, "servers", "typescript", "server.mjs")];
const planned = plan();
const world = new World(command);
const counts = { passed: 0, failed: 0 };
try {
  await world.start();
  // Those that wait for a time to pass begin first, beside all others.
  const runs = planned.flatMap((one) => one.over.map((way) => ({ ...one, way, fault: deferred() })));
  const queue = [...runs.filter(({ slow }) => !slow)];
  const slow = runs.filter((one) => one.slow).map(settle);
  const lanes = Array.from({ length: LANES }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await settle(next);
  });
  for (const { check, over, rules } of planned) {
    const own = await Promise.all(runs.filter((each) => each.check === check).map((each) => each.fault.promise));
    tell(check, over, rules, own);
  }
  await Promise.all([...slow, ...lanes]);
} finally {
  await world.close();
}
console.log(`conformance: ${counts.passed} rules ok, ${counts.failed} not ok (${values.language})`);
// Of a server that does nothing of all this, every check must notice it: one that passes checks nothing.
process.exit((values["expect-failure"] ? counts.passed : counts.failed) === 0 ? 0 : 1);

function plan() {
  try {
    return planOf({ language: values.language, only: values.only?.split(","), names: Object.keys(CHECKS), lists: readLists() });
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

/** Where a server is to fail, a check that holds by one way only is noticed too. */
function tell(check, over, rules, faults) {
  const holds = values["expect-failure"] ? faults.some((fault) => fault === undefined) : faults.every((fault) => fault === undefined);
  for (const { id, statement } of rules) {
    console.log(`${holds ? "ok" : "not ok"} ${id} ${statement}`);
    if (holds) counts.passed += 1;
    else counts.failed += 1;
  }
  for (const [place, fault] of faults.entries())
    if (fault !== undefined) console.log(`  ${check}, ${over[place]}: ${fault.split("\n").join("\n  ")}`);
}

/** Runs one check by one way, and settles its fault: what went wrong, as text; `undefined`: nothing. */
async function settle({ check, way, fault }) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("it took longer than 90 seconds")), CHECK_MS);
  });
  try {
    await Promise.race([CHECKS[check](world.by(way)), late]);
    fault.resolve(undefined);
  } catch (error) {
    fault.resolve(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

function deferred() {
  let resolve;
  const promise = new Promise((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
}
