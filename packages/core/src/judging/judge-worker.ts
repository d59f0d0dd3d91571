import { parentPort } from "node:worker_threads";
import { judgeChecks } from "../engine/schema/judge-checks.ts";
import type { CompiledSchemas, JudgeClock, JudgeJob } from "../engine/schema/judge-checks.ts";

const compiled: CompiledSchemas = new Map();
const clock: JudgeClock = {
  monotonic: () => performance.now(),
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

// What a `JudgeThread` runs.
parentPort?.on("message", (job: JudgeJob) => parentPort?.postMessage(judgeChecks(job, compiled, clock)));
