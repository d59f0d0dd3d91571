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
  /** A file that is no report is given up for this reason. */
  readonly refuse: (detail: string) => void;
  /** A report stays where it is, for this fault. */
  readonly postpone: (error: unknown) => void;
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

  /** Takes what is there, oldest first. One that can't be kept now is tried again after a pause. */
  async take(): Promise<void> {
    const { folder, monotonic, retryMs } = this.#options;
    if (this.#taking || monotonic() < this.#notBefore) return;
    this.#taking = true;
    try {
      let taken = 0;
      for (const name of namesIn(folder)) {
        const end = await this.#takeOne(join(folder, name));
        if (end === "taken") taken += 1;
        else this.#notBefore = monotonic() + retryMs;
        // What fails by itself holds up no other; on a full disk none of them could be kept.
        if (end === "full" || taken >= MOST_AT_ONCE) return;
      }
    } finally {
      this.#taking = false;
    }
  }

  /** Unless it is taken it stays where it is. */
  async #takeOne(path: string): Promise<"taken" | "full" | "failed"> {
    try {
      const report = readReport(path);
      if (typeof report === "string") this.#options.refuse(report);
      else await this.#options.hand(report);
      rmSync(path, { force: true });
      return "taken";
    } catch (error) {
      // The hook that left it may have handed it over after all.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "taken";
      if (error instanceof WakeshiftError && error.retryable) return "full";
      // A fault of this bridge, or of this moment, is no fault of the report: its ticket must not be lost to it.
      this.#options.postpone(error);
      return "failed";
    }
  }
}

/** The report in a file, or what is wrong with it. @throws where the file can't be read */
function readReport(path: string): ReportRequest | string {
  const text = readFileSync(path, "utf8");
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 120) : "fault";
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    // No hook has ever needed the folder.
    return [];
  }
}
