import { Command, CommanderError, Option } from "commander";
import type { EmitOptions } from "./commands/emit.ts";
import { addHelpExamples } from "./help-examples.ts";
import { createOutput, printFailure, type Output } from "./output.ts";
import { describeUsageError } from "./usage-error.ts";
import { VERSION } from "./version.ts";

/** Exit codes of every command. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** What a command's function gets beside its own arguments: resolves to the exit code, 0 unless it says otherwise. */
type Act = (output: Output) => Promise<number | undefined>;

/**
 * Runs one command of `wakeshift`.
 *
 * @param argv `process.argv`.
 * @returns the exit code: 0 ok, 1 failed, 2 usage.
 */
export async function run(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const act = async (options: { readonly json?: boolean }, body: Act): Promise<void> => {
    const json = options.json === true;
    try {
      exitCode = (await body(createOutput(json))) ?? EXIT.ok;
    } catch (error) {
      printFailure(error, json);
      exitCode = EXIT.failed;
    }
  };
  const program = createProgram(act);
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

type Acting = (options: { readonly json?: boolean }, body: Act) => Promise<void>;

function createProgram(act: Acting): Command {
  const program = new Command("wakeshift")
    .description("Wakes an agent's conversation when the app whose tool it called has news.")
    .version(VERSION)
    .configureHelp({ sortSubcommands: false });
  program.commandsGroup("A core and its apps:");
  addCoreCommands(program, act);
  addAppCommands(program, act);
  program.commandsGroup("The machine where agents run:");
  addMachineCommands(program, act);
  addConversationCommands(program, act);
  program.commandsGroup("Help:").helpCommand("help [command]", "the same as COMMAND --help");
  addHelpExamples(program);
  return program;
}

const dataOption = (what = "folder of the core's data"): Option =>
  new Option("--data <dir>", `${what} (default: core in Wakeshift's folder of this user)`);
const coreOption = (): Option =>
  new Option(
    "--core <url>",
    "a core that runs elsewhere, with its WAKESHIFT_ADMIN_TOKEN in the environment (default: the one on this machine)",
  );
const jsonOption = (): Option => new Option("--json", "print one JSON document, for programs");

function addCoreCommands(program: Command, act: Acting): void {
  program
    .command("dev")
    .description("run a core on this machine for trying things out, with an app and a key")
    .option("--port <port>", "port to listen on; 0 picks a free one", "4870")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: { port: string; data?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/dev.ts")).dev(options, output)),
    );
  program
    .command("serve")
    .description("run a core that others reach, behind your TLS proxy")
    .option("--port <port>", "port to listen on; 0 picks a free one", "4870")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: { port: string; host: string; data?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/serve.ts")).serve(options, output)),
    );
}

function addAppCommands(program: Command, act: Acting): void {
  const app = program.command("app").description("make and list the apps of a core");
  app
    .command("create")
    .description("make an app and its first key, which is shown this once")
    .argument("<name>", "the app's name, as agents will read it")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .action((name: string, options: { data?: string; core?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/app.ts")).createApp(name, options, output)),
    );
  app
    .command("list")
    .description("list apps and their keys")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .action((options: { data?: string; core?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/app.ts")).listApps(options, output)),
    );
  const key = program.command("key").description("make and revoke the keys of an app");
  key
    .command("create")
    .description("make another key of an app, shown this once; its keys work side by side")
    .argument("<app>", "the app's id or name")
    .option("--name <name>", "tells it from the app's other keys, such as where it is used (default: none)")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .action((app: string, options: { name?: string; data?: string; core?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/key.ts")).createKey(app, options, output)),
    );
  key
    .command("revoke")
    .description("revoke a key, in force within a second")
    .argument("<kid>", "the key's id, as `wakeshift app list` shows it")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .action((kid: string, options: { data?: string; core?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/key.ts")).revokeKey(kid, options, output)),
    );
  program
    .command("emit")
    .description("emit one occurrence of an event, with the key in WAKESHIFT_KEY, else the one that `dev` made")
    .argument("<event>", "the event's name, as the server that defines it spells it")
    .requiredOption("--args <json>", "required: the event's arguments, a JSON object")
    .requiredOption("--payload <json>", "required: what the conversation is told, JSON")
    .option("--text <line>", "the line the agent reads first (default: the event's description and the payload, cut)")
    .option("--to <user...>", "for a personal event: whose conversations")
    .option("--id <id>", "your id for it; emitting again with it changes nothing (default: a new one)")
    .addOption(dataOption("folder in which `dev` keeps its key"))
    .option("--core <url>", "the core to emit to (default: WAKESHIFT_CORE, else http://127.0.0.1:4870)")
    .addOption(jsonOption())
    .action((event: string, options: EmitOptions) =>
      act(options, async (output) => (await import("./commands/emit.ts")).emit(event, options, output)),
    );
}

function addMachineCommands(program: Command, act: Acting): void {
  program
    .command("setup")
    .description("connect agent programs to Wakeshift, or take it out again")
    .argument("[program...]", "codex, claude-code, opencode (default: all that are found)")
    .option("--yes", "apply without asking")
    .option("--remove", "take Wakeshift out again, byte for byte")
    .addOption(new Option("--diff", "show every line of the change, and change nothing").conflicts("yes"))
    .addOption(jsonOption())
    .action((names: string[], options: { yes?: boolean; remove?: boolean; diff?: boolean; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/setup.ts")).setup(names, options, output)),
    );
  program
    .command("doctor")
    .description("check every program and core, and name the command that fixes what is broken")
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => act(options, async (output) => (await import("./commands/doctor.ts")).doctor(output)));
  program
    .command("bridge")
    .description("run the local process that wakes this machine's conversations")
    .option("--start", "start one in the background, if none runs")
    .addOption(new Option("--stop", "stop the one that runs, wherever it was started").conflicts("start"))
    .addOption(jsonOption())
    .action((options: { start?: boolean; stop?: boolean; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/bridge.ts")).bridge(options, output)),
    );
  program
    .command("status")
    .description("show what the bridge is connected to, what waits and why, when the last wake came, and the settings")
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => act(options, async (output) => (await import("./commands/status.ts")).status(output)));
  program
    .command("allow")
    .description("let a core, or one app of it, wake this machine's conversations")
    .argument("<origin>", "the core's origin, such as https://wake.example.com")
    .option("--app <app>", "only this app of it, by name or id")
    .addOption(jsonOption())
    .action((origin: string, options: { app?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/trust.ts")).allow(origin, options, output)),
    );
  program
    .command("deny")
    .description("no longer let a core, or one app of it, wake this machine's conversations")
    .argument("<origin>", "the core's origin, such as https://wake.example.com")
    .option("--app <app>", "only this app of it, by name or id")
    .addOption(jsonOption())
    .action((origin: string, options: { app?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/trust.ts")).deny(origin, options, output)),
    );
}

function addConversationCommands(program: Command, act: Acting): void {
  program
    .command("list")
    .description("show what this machine's conversations are subscribed to")
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => act(options, async (output) => (await import("./commands/list.ts")).list(output)));
  program
    .command("end")
    .description("end one subscription, or all of one program's conversations")
    .argument("[subscription]", "its id, as `wakeshift list` shows it")
    .option("--program <name>", "instead of an id: every subscription of codex, claude-code or opencode conversations here")
    .addOption(jsonOption())
    .action((id: string | undefined, options: { program?: string; json?: boolean }, command: Command) => {
      const { program: name } = options;
      if (id !== undefined && name !== undefined) command.error("error: argument 'subscription' cannot be used with option '--program'");
      if (name !== undefined) return act(options, async (output) => (await import("./commands/end.ts")).endOfProgram(name, output));
      if (id !== undefined) return act(options, async (output) => (await import("./commands/end.ts")).end(id, output));
      return command.error("error: missing required argument 'subscription'");
    });
  program
    .command("show")
    .description("show an occurrence whole, also one that was too long for the conversation")
    .argument("<occurrence>", "its id, evt_…")
    .addOption(jsonOption())
    .action((id: string, options: { json?: boolean }) =>
      act(options, async (output) => (await import("./commands/show.ts")).show(id, output)),
    );
  program
    .command("set")
    .description("change a setting of this machine, and show all of them")
    .argument("<key>", "resume, unattended-wait or wake-budget")
    .argument("<value>", "what it takes stands below, under Settings")
    .addOption(jsonOption())
    .action((key: string, value: string, options: { json?: boolean }) =>
      act(options, async (output) => (await import("./commands/set.ts")).set(key, value, output)),
    );
  // Listed for completeness; main.ts takes it before this file is loaded.
  program
    .command("hook")
    .description("what an agent program's hook calls")
    .argument("<program>", "codex, claude-code or opencode")
    .argument("<event>", "the program's name for what happened");
}
