import { LIMITS, WakeshiftError, parseDuration } from "@wakeshift/protocol";
import { z } from "zod";
import type { SettingsAnswer } from "../local-api.ts";
import { readDocument } from "../files/document.ts";
import { SavedDocument } from "../files/saved-document.ts";
import type { StateReports } from "../files/state-reports.ts";

export const RESUME_CHOICES = ["never", "unattended", "always"] as const;

export const DEFAULT_SETTINGS: SettingsAnswer = { resume: "never", "unattended-wait": 600_000, "wake-budget": LIMITS.wakesPerHour };

const LONGEST_WAIT_MS = 86_400_000;
const LARGEST_BUDGET = 100_000;

const documentSchema = z.object({
  v: z.literal(1),
  resume: z.enum(RESUME_CHOICES).catch(DEFAULT_SETTINGS.resume),
  "unattended-wait": z.int().min(0).max(LONGEST_WAIT_MS).catch(DEFAULT_SETTINGS["unattended-wait"]),
  "wake-budget": z.int().min(1).max(LARGEST_BUDGET).catch(DEFAULT_SETTINGS["wake-budget"]),
});

/**
 * The settings after `wakeshift set KEY VALUE`.
 *
 * @throws WakeshiftError `bad_request` for an unknown key or a value out of range.
 */
export function withSetting(settings: SettingsAnswer, key: string, value: string): SettingsAnswer {
  switch (key) {
    case "resume": {
      const resume = RESUME_CHOICES.find((choice) => choice === value);
      if (resume === undefined) throw refused(key, value, `one of ${RESUME_CHOICES.join(", ")}`);
      return { ...settings, resume };
    }
    case "unattended-wait": {
      // The command line has only text; a duration that is a number counts in milliseconds.
      const wait = parseDuration(/^\d+$/.test(value) ? Number(value) : value);
      if (wait > LONGEST_WAIT_MS) throw refused(key, value, "at most 24h");
      return { ...settings, "unattended-wait": wait };
    }
    case "wake-budget": {
      const budget = /^\d{1,6}$/.test(value) ? Number(value) : 0;
      if (budget < 1 || budget > LARGEST_BUDGET)
        throw refused(key, value, `a whole number from 1 to ${LARGEST_BUDGET}, the wakes per conversation and hour`);
      return { ...settings, "wake-budget": budget };
    }
    default:
      throw new WakeshiftError(
        "bad_request",
        `There is no setting ${JSON.stringify(key.slice(0, 40))}. Settings are resume, unattended-wait and wake-budget.`,
      );
  }
}

function refused(key: string, value: string, wanted: string): WakeshiftError {
  return new WakeshiftError("bad_request", `${key} can't be ${JSON.stringify(value.slice(0, 40))}. It is ${wanted}.`);
}

/** The user's settings, kept in a file. */
export class Settings {
  readonly #document: SavedDocument;
  #current: SettingsAnswer;

  constructor(path: string, reports: StateReports) {
    const read = readDocument(path, documentSchema, reports.corrupt);
    this.#current =
      read === undefined
        ? DEFAULT_SETTINGS
        : { resume: read.resume, "unattended-wait": read["unattended-wait"], "wake-budget": read["wake-budget"] };
    this.#document = new SavedDocument({
      path,
      snapshot: () => ({ v: 1, ...this.#current }),
      onFailure: reports.failed(path),
      retryMs: reports.retryMs,
    });
  }

  get current(): SettingsAnswer {
    return this.#current;
  }

  /** Counts at once. Resolves with whether it is on disk. @throws WakeshiftError as {@link withSetting} */
  set(key: string, value: string): Promise<boolean> {
    this.#current = withSetting(this.#current, key, value);
    return this.#document.save();
  }
}
