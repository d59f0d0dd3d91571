import type { Program } from "../program/program.ts";
import { checkOpencode, checkOpencodeVersion } from "./check.ts";
import { readOpencodeHook } from "./hook.ts";
import { opencodeSettings } from "./install.ts";

/**
 * opencode 1.x. Its plugin runs inside each opencode process and holds one `wakeshift hook opencode attach`, through which
 * it takes the wakes of the conversations that are open in that process.
 */
export const opencode: Program = {
  name: "opencode",
  delivery: "taken",
  readHook: (event, input) => readOpencodeHook(event, input),
  checkVersion: checkOpencodeVersion,
  check: checkOpencode,
  openWith: ["opencode", "--session"],
  settings: opencodeSettings,
};
