import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { WakeshiftError } from "@wakeshift/protocol";
import type { ReportRequest } from "../local-api.ts";
import { reportSchema } from "./local-requests.ts";

const MOST_AT_ONCE = 50;

export interface SpoolOptions {
  readonly folder: string;
  /** Resolves when the report is on disk. Taking the same one twice changes nothing. */
  readonly hand: (report: ReportRequest) => Promise<unknown>;
  /** A report is given up for this reason. */
  readonly refuse: (detail: string) => void;
  readonly monotonic: () => number;
  /** Pause before a report that couldn't be kept is tried again. */
  readonly retryMs: number;
}

/** The reports that hooks left because no bridge could keep them. Each stays there until it is kept. */
export class Spool {
  readonly #options: SpoolOptions;
  #taking = false;
  #notBefore = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Takes what is there, oldest first. One that can't be kept now ends the round, and is tried again after a pause. */
  async take(): Promise<void> {
    const { folder, monotonic, retryMs } = this.#options;
    if (this.#taking || monotonic() < this.#notBefore) return;
    this.#taking = true;
    try {
      for (const name of namesIn(folder)) {
        if (await this.#takeOne(join(folder, name))) continue;
        this.#notBefore = monotonic() + retryMs;
        return;
      }
    } finally {
      this.#taking = false;
    }
  }

  /** @returns false: it stays where it is. */
  async #takeOne(path: string): Promise<boolean> {
    try {
      await this.#options.hand(reportSchema.parse(JSON.parse(readFileSync(path, "utf8"))));
    } catch (error) {
      if (error instanceof WakeshiftError && error.retryable) return false;
      this.#options.refuse(error instanceof Error ? error.message.slice(0, 120) : "fault");
    }
    rmSync(path, { force: true });
    return true;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort()
      .slice(0, MOST_AT_ONCE);
  } catch {
    // No hook has ever needed the folder.
    return [];
  }
}
