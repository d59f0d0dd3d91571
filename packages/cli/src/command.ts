import { calledAs } from "@wakeshift/programs/machine";
import { Option, type Command } from "commander";
import type { Output } from "./output.ts";

/** Runs a command's function and prints what it throws. The function resolves to the exit code, 0 unless it says otherwise. */
export type Act = (options: { readonly json?: boolean }, body: (output: Output) => Promise<number | undefined>) => Promise<void>;

/** Adds one command: its flags, its help with examples, and what it does. Each file in `commands` exports one as `addCommand`. */
export type AddCommand = (program: Command, act: Act) => void;

/** What stands below the options in a command's `--help`, as this run was called; a path would tear the examples apart. */
export function examplesBelow(text: string): string {
  const called = calledAs().startsWith("node ") ? "wakeshift" : calledAs();
  return `\n${text.replaceAll(/(?<=[ `])wakeshift(?= [a-z])/g, called)}`;
}

/** `--data`, where a core's data is. */
export function dataOption(what = "folder of the core's data"): Option {
  return new Option("--data <dir>", `${what} (default: core in Wakeshift's folder of this user)`);
}

/** `--core`, a core that runs elsewhere. */
export function coreOption(): Option {
  return new Option(
    "--core <url>",
    "a core that runs elsewhere, with its WAKESHIFT_ADMIN_TOKEN in the environment (default: the one on this machine)",
  );
}

/** `--json`. */
export function jsonOption(): Option {
  return new Option("--json", "print one JSON document, for programs");
}
