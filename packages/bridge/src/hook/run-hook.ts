import { randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { cleanLine } from "@wakeshift/protocol";
import { BridgeClient } from "../client/bridge-client.ts";
import { BoundedLog } from "../files/bounded-log.ts";
import { bridgeHome, type BridgeHome } from "../home.ts";
import { fileReader, type HookAnswer, type HookPlan, type HookReport, type Program } from "@wakeshift/programs";
import { resolveHomeFolder } from "@wakeshift/programs/machine";
import type { OutcomeRequest, ReportRequest } from "../local-api.ts";
import { loadProgram } from "@wakeshift/programs/load-program";
import { isLive } from "../state/live-markers.ts";
import { handReport } from "./hand-report.ts";
import { readHookInput } from "./read-input.ts";
import { recordRun } from "./record-run.ts";
import { slimReport } from "./slim-report.ts";
import { startWatcher } from "./start-watcher.ts";
import { waitForWake } from "./wait-for-wake.ts";
import { watchProcess } from "./watch-process.ts";

/** What a hook process has around it. */
export interface HookSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** @defaultValue the programs this version knows */
  readonly findProgram?: (name: string) => Promise<Program | undefined>;
}

const LOG_BYTES = 262_144;
const OUTCOME_MS = 5_000;
const START_MS = 6_000;
const SILENT: HookAnswer = { stdout: "", stderr: "", exitCode: 0 };

/**
 * `wakeshift hook PROGRAM EVENT`. Tells the bridge what the program's hook saw, and waits for a wake where the program's
 * plan says so. Where nothing of ours is involved it leaves at once, without a bridge. Every fault of ours ends in a line of
 * `hook.log`, never in the program.
 *
 * @returns the exit code: 0, or the program's own signal for a wake.
 */
export async function runHook(args: readonly string[], around: HookSurroundings = process): Promise<number> {
  const code = await answerHook(args, around);
  // An open stdin, or a bridge's socket about to close, must not hold the program's hook.
  if (around === process) process.exit(code);
  return code;
}

async function answerHook(args: readonly string[], around: HookSurroundings): Promise<number> {
  const home = bridgeHome(resolveHomeFolder(around.env));
  const log = new BoundedLog(home.hookLog, LOG_BYTES);
  const [name = "", event = ""] = args;
  const fault = (error: unknown): void => log.write(`${new Date().toISOString()} ${name} ${event}: ${faultText(error)}`);
  try {
    const program = await (around.findProgram ?? loadProgram)(name);
    if (program === undefined) {
      fault(new Error("no such program"));
      return 0;
    }
    const { env } = around;
    const client = new BridgeClient({ home, env, startMs: START_MS });
    if (event === "attach") {
      const { runAttach } = await import("./run-attach.ts");
      await runAttach({ program, client, home, env, stdin: around.stdin, stdout: around.stdout, onFault: fault });
      return 0;
    }
    const { input, broken } = await readHookInput(around.stdin);
    if (broken !== undefined) fault(new Error(`its input is ${broken}`));
    const plan = await program.readHook(event, input, env, fileReader);
    if (plan.report !== undefined || plan.wait !== undefined) recordRun(home, program, event, fault);
    return await write(await new Hook({ program, event, home, env, client, fault }).run(plan), around, fault);
  } catch (error) {
    fault(error);
    return 0;
  }
}

interface HookParts {
  readonly program: Program;
  readonly event: string;
  readonly home: BridgeHome;
  readonly env: NodeJS.ProcessEnv;
  readonly client: BridgeClient;
  readonly fault: (error: unknown) => void;
}

class Hook {
  readonly #parts: HookParts;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  async run(plan: HookPlan): Promise<HookAnswer> {
    if (plan.report !== undefined) {
      const report = slimReport(plan.report);
      if (report.results.length > 0 || this.#isLive(report.conversation)) {
        const notice = await this.#report(report, plan.wait === undefined);
        this.#watch(report);
        if (notice !== undefined) return notice;
      }
    }
    return plan.wait === undefined ? SILENT : this.#wait(plan.wait, plan.report?.pid);
  }

  /** @returns what to show, where there is something and nothing waits. */
  async #report(report: HookReport, mayShow: boolean): Promise<HookAnswer | undefined> {
    const probe = mayShow ? this.#parts.program.notice?.(this.#parts.event, "?") : undefined;
    const body: ReportRequest = {
      ...report,
      program: this.#parts.program.name,
      can_notice: probe !== undefined && probe.stdout + probe.stderr !== "",
    };
    try {
      const answer = await handReport({ client: this.#parts.client, home: this.#parts.home, onFault: this.#parts.fault }, body);
      return answer.notice === undefined ? undefined : this.#parts.program.notice?.(this.#parts.event, cleanLine(answer.notice));
    } catch (error) {
      this.#parts.fault(error);
      return undefined;
    }
  }

  /** A waiter restarts a bridge that is gone. A program whose wakes are pushed has none while a person has it open. */
  #watch({ conversation, pid, unattended }: HookReport): void {
    const { program, home, env, fault } = this.#parts;
    if (program.delivery !== "pushed" || unattended || pid === undefined || !this.#isLive(conversation)) return;
    try {
      startWatcher(home, env, program.name, pid);
    } catch (error) {
      fault(error);
    }
  }

  async #wait(wait: NonNullable<HookPlan["wait"]>, reportPid: number | undefined): Promise<HookAnswer> {
    const untilSubscribed = wait.untilSubscribed === true;
    if (!untilSubscribed && !this.#isLive(wait.conversation)) return SILENT;
    const gone = new AbortController();
    const pid = wait.pid ?? reportPid;
    const stopWatching = watchProcess(pid, () => gone.abort());
    const wake = await waitForWake({
      client: this.#parts.client,
      program: this.#parts.program.name,
      conversation: wait.conversation,
      taker: `${process.pid}-${randomBytes(6).toString("hex")}`,
      pid,
      unattended: wait.unattended,
      maxMs: wait.maxMs,
      isLive: () => this.#isLive(wait.conversation),
      untilSubscribed,
      signal: gone.signal,
      onFault: this.#parts.fault,
    });
    stopWatching();
    if (wake === undefined) return SILENT;
    const answer = this.#parts.program.answerWake?.(this.#parts.event, wake);
    if (answer !== undefined) return answer;
    await this.#giveBack(wake.delivery, "this program's hooks take no wakes");
    return SILENT;
  }

  async #giveBack(delivery: string, detail: string): Promise<void> {
    const body: OutcomeRequest = { delivery, state: "failed", detail };
    await this.#parts.client.ask({ method: "POST", path: "/v1/outcome", body, timeoutMs: OUTCOME_MS }).catch(this.#parts.fault);
  }

  #isLive(conversation: string): boolean {
    return isLive(this.#parts.home.live, this.#parts.program.name, conversation);
  }
}

async function write(answer: HookAnswer, around: HookSurroundings, fault: (error: unknown) => void): Promise<number> {
  for (const [stream, text] of [
    [around.stdout, answer.stdout],
    [around.stderr, answer.stderr],
  ] as const) {
    if (text === "") continue;
    // A program that has gone reads nothing any more. Its wake is offered again, since no turn will show it.
    await new Promise<void>((resolve) => {
      stream.once("error", fault);
      stream.write(text, () => resolve());
    });
  }
  return answer.exitCode;
}

function faultText(error: unknown): string {
  return error instanceof Error ? cleanLine(error.message.slice(0, 500)) : "fault";
}
