import { describe, expect, test } from "vitest";
import { nextStep } from "./next-step.ts";
import type { Situation } from "./next-step.ts";

const quiet: Situation = {
  budget: { allowed: true },
  hasTaker: false,
  isOpen: true,
  unattended: false,
  delivery: "pushed",
  canResume: true,
  resume: "never",
  isBusy: false,
  isPaused: false,
};

const cases: readonly (readonly [string, Partial<Situation>, ReturnType<typeof nextStep>])[] = [
  ["an open conversation of a pushed program is pushed to", {}, { do: "push" }],
  ["a waiting taker goes before a push", { hasTaker: true }, { do: "hand" }],
  ["a taker is served although the conversation counts as closed", { hasTaker: true, isOpen: false }, { do: "hand" }],
  ["over the budget nobody is served", { hasTaker: true, budget: { allowed: false, inMs: 5 } }, { do: "hold", why: "over_budget" }],
  ["after a failure nobody is served until the pause is over", { hasTaker: true, isPaused: true }, { do: "hold", why: "failed" }],
  ["one push at a time", { isBusy: true }, { do: "hold", why: "queued" }],
  ["a taken program waits for its taker", { delivery: "taken" }, { do: "hold", why: "no_taker" }],
  ["an unattended run is never pushed to (PC-23)", { unattended: true }, { do: "hold", why: "no_taker" }],
  ["a closed conversation waits", { isOpen: false }, { do: "hold", why: "conversation_closed" }],
  ["a closed unattended one waits with resume never", { isOpen: false, unattended: true }, { do: "hold", why: "conversation_closed" }],
  [
    "a closed unattended one is continued with resume unattended",
    { isOpen: false, unattended: true, resume: "unattended" },
    { do: "resume" },
  ],
  [
    "a closed attended one isn't continued with resume unattended",
    { isOpen: false, resume: "unattended" },
    { do: "hold", why: "conversation_closed" },
  ],
  ["any closed one is continued with resume always", { isOpen: false, resume: "always" }, { do: "resume" }],
  [
    "a program that can't be continued waits",
    { isOpen: false, resume: "always", canResume: false },
    { do: "hold", why: "conversation_closed" },
  ],
  ["an open unattended one isn't continued", { unattended: true, resume: "always" }, { do: "hold", why: "no_taker" }],
];

describe("what is done with a pending wake", () => {
  test.each(cases)("%s", (_title, changes, expected) => {
    expect(nextStep({ ...quiet, ...changes })).toEqual(expected);
  });
});
