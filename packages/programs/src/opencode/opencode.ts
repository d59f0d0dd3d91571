import type { Program } from "../program/program.ts";
import { readHook } from "./hook.ts";

/**
 * opencode 1.x. Its plugin runs inside each opencode process and holds one `wakeshift hook opencode attach`, through which
 * it takes the wakes of the conversations that are open in that process.
 */
export const opencode: Program = {
  name: "opencode",
  delivery: "taken",
  readHook,
};
