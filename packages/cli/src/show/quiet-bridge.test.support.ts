import type { StatusAnswer } from "@wakeshift/bridge";

/** The answer of a bridge that runs and has nothing to do; tests change what they are about. */
export const QUIET_BRIDGE: StatusAnswer = {
  pid: 7,
  supervisor: 6,
  version: "1.0.0",
  since: "2026-01-01T00:00:00.000Z",
  cores: [],
  subscriptions: 0,
  waiting_for_answer: [],
  pending: [],
  unsent_acks: 0,
  settings: { resume: "never", "unattended-wait": 600_000, "wake-budget": 60 },
};
