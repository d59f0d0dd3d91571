import type { SettingsAnswer } from "@wakeshift/bridge";
import { table } from "../table.ts";
import { describeDuration } from "./describe-duration.ts";

const RESUME_WORDS: Readonly<Record<SettingsAnswer["resume"], string>> = {
  never: "the wakes of a closed conversation wait until it is opened",
  unattended: "a wake continues a closed run that was unattended; other closed conversations wait",
  always: "a wake continues any closed conversation",
};

/** This machine's settings, one a line, under the names that `wakeshift set` takes, each with what it means. */
export function describeSettings(settings: SettingsAnswer): string {
  return table([
    ["  resume", settings.resume, RESUME_WORDS[settings.resume]],
    ["  unattended-wait", describeDuration(settings["unattended-wait"]), "an unattended run that subscribed is held so long for its event"],
    ["  wake-budget", `${String(settings["wake-budget"])} an hour`, "wakes of one conversation; those above are held and come together"],
  ]);
}
