import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { WakeshiftError, cleanLine, redactSecrets } from "@wakeshift/protocol";
import type { AttachLine, AttachRequest } from "../attach-protocol.ts";
import type { BridgeClient } from "../client/bridge-client.ts";
import type { BridgeHome } from "../home.ts";
import { fileReader, type HookReport, type Program } from "@wakeshift/programs";
import type { OutcomeAnswer, OutcomeRequest, ReportAnswer, ReportRequest } from "../local-api.ts";
import { isLive } from "../state/live-markers.ts";
import { handReport } from "./hand-report.ts";
import { recordRun } from "./record-run.ts";
import { slimReport } from "./slim-report.ts";
import { waitForWake } from "./wait-for-wake.ts";

export interface AttachOptions {
  readonly program: Program;
  readonly client: BridgeClient;
  readonly home: BridgeHome;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly onFault: (error: unknown) => void;
}

const ANSWER_MS = 5_000;
const LINE_CHARACTERS = 16_777_216;
const OUTCOME_TRIES = 20;

interface Listener {
  readonly stop: AbortController;
  readonly pid: number | undefined;
  readonly unattended: boolean;
}

/** The long-lived pipe between one program process's plugin and the bridge. Ends with its stdin. */
export async function runAttach(options: AttachOptions): Promise<void> {
  const attach = new Attach(options);
  // Without the plugin there is nobody to write to.
  options.stdout.on("error", () => attach.close());
  for await (const line of createInterface({ input: options.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== "" && line.length <= LINE_CHARACTERS) attach.line(line);
  }
  await attach.end();
}

class Attach {
  readonly #options: AttachOptions;
  readonly #taker = `attach-${process.pid}-${randomBytes(6).toString("hex")}`;
  readonly #listeners = new Map<string, Listener>();
  #recorded = false;

  constructor(options: AttachOptions) {
    this.#options = options;
  }

  line(text: string): void {
    const request = parseRequest(text);
    if (request === undefined) {
      this.#say({ id: 0, ok: false, error: { code: "bad_request", message: "The line is no JSON object with a numeric id." } });
      return;
    }
    void this.#answer(request).then(
      (answer) => this.#say(answer),
      (error: unknown) => {
        this.#options.onFault(error);
        const code = WakeshiftError.isInstance(error) ? error.code : "internal";
        this.#say({ id: request.id, ok: false, error: { code, message: redactSecrets(error instanceof Error ? error.message : "fault") } });
      },
    );
  }

  close(): void {
    for (const listener of this.#listeners.values()) listener.stop.abort();
  }

  /** The program has ended, or let go of the pipe: its conversations are closed. */
  async end(): Promise<void> {
    this.close();
    const live = [...this.#listeners].filter(([conversation]) => this.#isLive(conversation));
    await Promise.all(
      live.map(([conversation, { unattended }]) =>
        this.#report({ conversation, lifecycle: "closed", unattended, results: [] }).catch(this.#options.onFault),
      ),
    );
  }

  async #answer(request: AttachRequest): Promise<AttachLine> {
    const { id } = request;
    switch (request.do) {
      case "report":
        return { id, ok: true, ...(await this.#told(request.report)) };
      case "hook": {
        const { program, env } = this.#options;
        const plan = await program.readHook(request.event, request.input, env, fileReader);
        if (plan.report !== undefined) this.#recordRun(request.event);
        const told = plan.report === undefined ? {} : await this.#told(plan.report);
        if (plan.wait !== undefined) this.#listen(plan.wait.conversation, plan.wait.unattended, plan.wait.pid ?? plan.report?.pid);
        return { id, ok: true, ...told };
      }
      case "listen":
        this.#listen(request.conversation, request.unattended, request.pid);
        return { id, ok: true };
      case "silence":
        this.#listeners.get(request.conversation)?.stop.abort();
        this.#listeners.delete(request.conversation);
        return { id, ok: true };
      case "outcome": {
        const { delivery, state, detail } = request;
        await this.#outcome({ delivery, state, ...(detail === undefined ? {} : { detail }) });
        return { id, ok: true };
      }
      default:
        throw new WakeshiftError("unsupported", "There is no such request. There are report, hook, listen, silence and outcome.");
    }
  }

  /** Once for this process: a plugin reports far more often than a hook runs. */
  #recordRun(event: string): void {
    if (this.#recorded) return;
    this.#recorded = true;
    recordRun(this.#options.home, this.#options.program, event, this.#options.onFault);
  }

  async #told(report: HookReport): Promise<{ report?: ReportAnswer }> {
    const slim = slimReport(report);
    if (slim.results.length === 0 && !this.#isLive(slim.conversation)) return {};
    const answer = await this.#report(slim);
    if (answer.notice !== undefined) this.#say({ do: "notice", text: cleanLine(answer.notice) });
    return { report: answer };
  }

  async #report(report: HookReport): Promise<ReportAnswer> {
    const body: ReportRequest = { ...report, program: this.#options.program.name, can_notice: true };
    return await handReport(this.#options, body);
  }

  /** Repeated until a bridge has it: else a wake that was shown would be offered again. */
  async #outcome(body: OutcomeRequest): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#options.client.askStarting<OutcomeAnswer>({ method: "POST", path: "/v1/outcome", body, timeoutMs: ANSWER_MS });
        return;
      } catch (error) {
        if (attempt === OUTCOME_TRIES || (WakeshiftError.isInstance(error) && !error.retryable)) throw error;
      }
    }
  }

  #listen(conversation: string, unattended: boolean, pid: number | undefined): void {
    if (this.#listeners.has(conversation)) return;
    const listener: Listener = { stop: new AbortController(), pid, unattended };
    this.#listeners.set(conversation, listener);
    void this.#serve(conversation, listener).catch(this.#options.onFault);
  }

  async #serve(conversation: string, listener: Listener): Promise<void> {
    const { client, program, onFault } = this.#options;
    const { signal } = listener.stop;
    while (!signal.aborted) {
      const wake = await waitForWake({
        client,
        program: program.name,
        conversation,
        taker: this.#taker,
        pid: listener.pid,
        unattended: listener.unattended,
        maxMs: Number.MAX_SAFE_INTEGER,
        isLive: () => this.#isLive(conversation),
        untilSubscribed: true,
        signal,
        onFault,
      });
      if (wake === undefined) break;
      this.#say({ do: "wake", wake });
    }
    if (this.#listeners.get(conversation) !== listener) return;
    this.#listeners.delete(conversation);
    if (!signal.aborted) this.#say({ do: "left", conversation });
  }

  #isLive(conversation: string): boolean {
    return isLive(this.#options.home.live, this.#options.program.name, conversation);
  }

  #say(line: AttachLine): void {
    this.#options.stdout.write(`${JSON.stringify(line)}\n`);
  }
}

/** What the object asks for is looked at when it is answered; its id is what the answer needs. */
function parseRequest(text: string): AttachRequest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "id" in value && typeof value.id === "number"
      ? (value as AttachRequest)
      : undefined;
  } catch {
    return undefined;
  }
}
