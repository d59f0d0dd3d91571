// npm run bench: how fast durable emits and wakes are, as ratios to what the same machine does in the same minute.
// --rounds N (default 5), --count N emits a run (default 4000), --json, --soak (instead: a long reader beside 25 × N emits),
// --strict (exits 1 if a goal isn't met), --quick (two small rounds: shows within about a minute that everything can be measured).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, checkMachine, stop } from "./machine.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    count: { type: "string" },
    json: { type: "boolean", default: false },
    soak: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 2 : 5));
const count = Number(values.count ?? (values.quick ? 320 : 4000));
if (!(Number.isInteger(rounds) && rounds > 0 && Number.isInteger(count) && count >= 64))
  stop("--rounds takes a whole number from 1, --count one from 64.");
if (values.quick && (values.strict || values.soak)) stop("--quick is too short for --strict and --soak. Leave one of them out.");
if (values.strict && values.soak) stop("--soak has no goals for --strict to hold it to.");

checkMachine();
await build();
// What is measured is what was just built, so it is imported only now.
const { FULL, QUICK, measureRounds } = await import("../bench/rounds.mjs");
const { report } = await import("../bench/report.mjs");
const { soak } = await import("../bench/soak.mjs");
const { stopChildren } = await import("../bench/child.mjs");

const folder = mkdtempSync(join(tmpdir(), "wakeshift-bench-"));
const say = (line) => {
  if (!values.json) console.error(line);
};
let missed = 0;
try {
  const size = values.quick ? QUICK : FULL;
  const result = values.soak
    ? await soak({ folder, emits: 25 * count, say })
    : report(await measureRounds({ folder, rounds, count, size, say }));
  console.log(values.json ? JSON.stringify(result.data, undefined, 2) : result.text);
  if (values.quick) say("This was a quick run: its ratios decide nothing.");
  if (values.strict) missed = result.data.ratios.filter((ratio) => !ratio.met).length;
} finally {
  stopChildren();
  rmSync(folder, { recursive: true, force: true });
}
if (missed > 0) console.error(`bench: ${missed} of the goals not met`);
process.exit(missed > 0 ? 1 : 0);
