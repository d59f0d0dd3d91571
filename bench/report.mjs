import { OVERHEAD_FIGURES, OVERHEAD_GOALS } from "./overhead-goals.mjs";
import { spread } from "./statistics.mjs";

const GOALS = [
  {
    name: "durable emit / same server storing nothing",
    goal: 0.6,
    atLeast: true,
    ratio: (round) => round.durable.perSecond / round.nothing.perSecond,
  },
  { name: "durable emit / disk's own sync rate", goal: 4, atLeast: true, ratio: (round) => round.durable.perSecond / round.sync.perSecond },
  { name: "wake by stream p50 / TCP echo p50", goal: 10, atLeast: false, ratio: (round) => round.wake.p50 / round.echo.p50 },
  ...OVERHEAD_GOALS,
];

const FIGURES = [
  ["durable emits/s, 64 connections", (round) => round.durable.perSecond],
  ["  p99 ms", (round) => round.durable.p99],
  ["  the core's CPU µs an emit", (round) => round.durable.cpuMicros],
  ["emits/s storing nothing", (round) => round.nothing.perSecond],
  ["  p99 ms", (round) => round.nothing.p99],
  ["  the core's CPU µs an emit", (round) => round.nothing.cpuMicros],
  ["emits/s a bare node:http server takes that only checks their signatures", (round) => round.bare.perSecond],
  ["  that / disk's own sync rate", (round) => round.bare.perSecond / round.sync.perSecond],
  ["  durable emit / that", (round) => round.durable.perSecond / round.bare.perSecond],
  ["4 KiB appends synced/s", (round) => round.sync.perSecond],
  ["assertions one CPU can check/s", (round) => round.check.perSecond],
  ["emit sent → wake parsed, p50 ms", (round) => round.wake.p50],
  ["  p99 ms", (round) => round.wake.p99],
  ["1 KB TCP echo in turns with the wakes, p50 ms", (round) => round.echo.p50],
  ["1 KB TCP echo back to back, p50 ms", (round) => round.echoBusy.p50],
  ...OVERHEAD_FIGURES,
];

/** Medians over the rounds: the ratios against their goals, and the figures they come from. */
export function report(rounds) {
  const ratios = GOALS.map(({ name, goal, atLeast, ratio }) => {
    const measured = spread(rounds.map(ratio));
    return { name, goal: `${atLeast ? "≥" : "≤"} ${goal}`, ...measured, met: atLeast ? measured.median >= goal : measured.median <= goal };
  });
  const figures = FIGURES.map(([name, figure]) => ({ name: name.trim(), ...spread(rounds.map(figure)) }));
  const rows = [
    ["ratio", "median", "least – greatest", "goal", ""],
    ...ratios.map((one) => [
      one.name,
      show(one.median),
      `${show(one.least)} – ${show(one.greatest)}`,
      one.goal,
      one.met ? "met" : "NOT MET",
    ]),
    [],
    ["figure", "median", "least – greatest", "", ""],
    ...FIGURES.map(([name], index) => [
      name,
      show(figures[index].median),
      `${show(figures[index].least)} – ${show(figures[index].greatest)}`,
      "",
      "",
    ]),
  ];
  return { data: { rounds: rounds.length, ratios, figures }, text: table(rows) };
}

function show(value) {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

function table(rows) {
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
