import { Command, CommanderError } from "commander";
import { examplesBelow, type Act, type AddCommand } from "./command.ts";
import { createOutput, printFailure } from "./output.ts";
import { describeUsageError } from "./usage-error.ts";
import { VERSION } from "./version.ts";

/** Exit codes of every command. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const HELP = `Try it on this machine:
  wakeshift dev                     a core, with an app and its key
  wakeshift setup                   connects the agent programs that are installed
  wakeshift emit crawl.finished --args '{"job":"demo"}' --payload '{"status":"done"}'
                                    wakes whom a tool of your server subscribed to just this
  wakeshift doctor                  what is broken, if nothing arrives

Exit codes: 0 ok, 1 failed, 2 the command line is wrong. With --json each command prints one JSON document,
and a failure as {"error": {"code", "message"}}.

Settings, state and data lie in $WAKESHIFT_HOME, else in ~/.local/state/wakeshift (Linux),
~/Library/Application Support/Wakeshift (macOS), %LOCALAPPDATA%\\Wakeshift (Windows).`;

type Group = Readonly<Record<string, () => Promise<{ readonly addCommand: AddCommand }>>>;

/** Every command, in the order of the help. Each is loaded when it is run, since some of them load much. */
const GROUPS: Readonly<Record<string, Group>> = {
  "A core and its apps:": {
    dev: () => import("./commands/dev.ts"),
    serve: () => import("./commands/serve.ts"),
    app: () => import("./commands/app.ts"),
    key: () => import("./commands/key.ts"),
    emit: () => import("./commands/emit.ts"),
  },
  "The machine where agents run:": {
    setup: () => import("./commands/setup.ts"),
    doctor: () => import("./commands/doctor.ts"),
    bridge: () => import("./commands/bridge.ts"),
    status: () => import("./commands/status.ts"),
    allow: () => import("./commands/allow.ts"),
    deny: () => import("./commands/deny.ts"),
    list: () => import("./commands/list.ts"),
    end: () => import("./commands/end.ts"),
    show: () => import("./commands/show.ts"),
    set: () => import("./commands/set.ts"),
    // Listed for completeness; main.ts takes it before this file is loaded.
    hook: () => import("./commands/hook.ts"),
  },
};

/**
 * Runs one command of `wakeshift`.
 *
 * @param argv `process.argv`.
 * @returns the exit code: 0 ok, 1 failed, 2 usage.
 */
export async function run(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const act: Act = async (options, body) => {
    const json = options.json === true;
    try {
      exitCode = (await body(createOutput(json))) ?? EXIT.ok;
    } catch (error) {
      printFailure(error, json);
      exitCode = EXIT.failed;
    }
  };
  const program = await createProgram(act, argv[2]);
  let refusing = program;
  watchRefusals(program, (command) => (refusing = command));
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and --version leave with 0; everything else commander refuses is the user's wording.
    if (error.exitCode === 0) return EXIT.ok;
    // Without any command there is only the help, and it is printed.
    if (error.code !== "commander.help") printFailure(describeUsageError(error.message, refusing), argv.includes("--json"));
    return EXIT.usage;
  }
  return exitCode;
}

/** Has every command throw what it refuses, printing nothing itself, and tell first which one it is. */
function watchRefusals(command: Command, tell: (refusing: Command) => void): void {
  command.configureOutput({ outputError: () => undefined }).exitOverride((error) => {
    tell(command);
    throw error;
  });
  for (const below of command.commands) watchRefusals(below, tell);
}

/** @param named the word in the place of the command: only that one is loaded, none for the version, and all if it is anything else */
async function createProgram(act: Act, named: string | undefined): Promise<Command> {
  const program = new Command("wakeshift")
    .description("Wakes an agent's conversation when the app whose tool it called has news.")
    .version(VERSION)
    .configureHelp({ sortSubcommands: false });
  if (named === "--version" || named === "-V") return program;
  const isOne = Object.values(GROUPS).some((group) => named !== undefined && Object.hasOwn(group, named));
  for (const [heading, group] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(group)) if (!isOne || name === named) (await load()).addCommand(program, act);
  }
  program.commandsGroup("Help:").helpCommand("help [command]", "the same as COMMAND --help");
  return program.addHelpText("after", examplesBelow(HELP));
}
