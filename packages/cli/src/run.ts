import { Command, CommanderError, Option } from "commander";
import type { EmitOptions } from "./commands/emit.ts";
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
    .description("Wakes agent conversations from the app whose tools they called.")
    .version(VERSION)
    .configureHelp({ sortSubcommands: false });
  addCoreCommands(program, act);
  addAppCommands(program, act);
  addMachineCommands(program, act);
  addConversationCommands(program, act);
  return program;
}

const dataOption = (): Option => new Option("--data <dir>", "data directory of the core on this machine");
const coreOption = (): Option => new Option("--core <url>", "a core that runs elsewhere; needs WAKESHIFT_ADMIN_TOKEN");
const jsonOption = (): Option => new Option("--json", "print one JSON document");

function addCoreCommands(program: Command, act: Acting): void {
  program
    .command("dev")
    .description("run a core on this machine, with an app and a key made at the first start")
    .option("--port <port>", "port to listen on; 0 picks a free one", "4870")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: { port: string; data?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/dev.ts")).dev(options, output)),
    );
  program
    .command("serve")
    .description("run a core for production; settings from WAKESHIFT_DATABASE_URL, WAKESHIFT_PUBLIC_URL, WAKESHIFT_ADMIN_TOKEN")
    .option("--port <port>", "port to listen on; 0 picks a free one", "4870")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: { port: string; host: string; data?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/serve.ts")).serve(options, output)),
    );
}

function addAppCommands(program: Command, act: Acting): void {
  const app = program.command("app").description("apps of a core");
  app
    .command("create")
    .description("make an app and its first key, shown once")
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
  const key = program.command("key").description("keys of an app");
  key
    .command("create")
    .description("make another key, shown once; keys of one app work side by side")
    .argument("<app>", "the app's id or name")
    .option("--name <name>", "what tells it from the app's other keys, such as where it is used")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .action((app: string, options: { name?: string; data?: string; core?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/key.ts")).createKey(app, options, output)),
    );
  key
    .command("revoke")
    .description("revoke a key, in force within a second")
    .argument("<kid>", "the key's id, from app list")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .action((kid: string, options: { data?: string; core?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/key.ts")).revokeKey(kid, options, output)),
    );
  program
    .command("emit")
    .description("emit one occurrence, with the key in WAKESHIFT_KEY, else the one dev made")
    .argument("<event>", "the event's name")
    .requiredOption("--args <json>", "arguments, a JSON object")
    .requiredOption("--payload <json>", "payload, JSON")
    .option("--text <line>", "the line the agent reads first")
    .option("--to <user...>", "users of a personal event")
    .option("--id <id>", "your id for it: emitting it again changes nothing")
    .addOption(dataOption())
    .option("--core <url>", "the core; default WAKESHIFT_CORE, else http://127.0.0.1:4870")
    .addOption(jsonOption())
    .action((event: string, options: EmitOptions) =>
      act(options, async (output) => (await import("./commands/emit.ts")).emit(event, options, output)),
    );
}

function addMachineCommands(program: Command, act: Acting): void {
  program
    .command("setup")
    .description("connect agent programs: shows each change to their settings, asks, applies; --remove undoes it")
    .argument("[program...]", "codex, claude-code, opencode; none: those found on this machine")
    .option("--yes", "apply without asking")
    .option("--remove", "take Wakeshift out again, byte for byte")
    .addOption(new Option("--diff", "show every line of the change, and change nothing").conflicts("yes"))
    .addOption(jsonOption())
    .action((names: string[], options: { yes?: boolean; remove?: boolean; diff?: boolean; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/setup.ts")).setup(names, options, output)),
    );
  program
    .command("doctor")
    .description("check every program and core the real way, and name the one command that mends what is broken")
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => act(options, async (output) => (await import("./commands/doctor.ts")).doctor(output)));
  program
    .command("bridge")
    .description(
      "run the local process that wakes this machine's conversations; hooks, and commands that ask it, start it in the background",
    )
    .option("--stop", "stop the one that runs, in the background too")
    .addOption(jsonOption())
    .action((options: { stop?: boolean; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/bridge.ts")).bridge(options, output)),
    );
  program
    .command("status")
    .description("what the bridge is connected to, and what waits and why")
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => act(options, async (output) => (await import("./commands/status.ts")).status(output)));
  program
    .command("allow")
    .description("let a core wake this machine's conversations")
    .argument("<origin>", "the core's origin, such as https://wake.example.com")
    .option("--app <id>", "only this app of it")
    .addOption(jsonOption())
    .action((origin: string, options: { app?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/trust.ts")).allow(origin, options, output)),
    );
  program
    .command("deny")
    .description("no longer let a core, or one app of it, wake this machine's conversations")
    .argument("<origin>", "the core's origin")
    .option("--app <id>", "only this app of it")
    .addOption(jsonOption())
    .action((origin: string, options: { app?: string; json?: boolean }) =>
      act(options, async (output) => (await import("./commands/trust.ts")).deny(origin, options, output)),
    );
}

function addConversationCommands(program: Command, act: Acting): void {
  program
    .command("list")
    .description("what this machine's conversations are subscribed to")
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => act(options, async (output) => (await import("./commands/list.ts")).list(output)));
  program
    .command("end")
    .description("end one subscription, or all of one program's conversations")
    .argument("[subscription]", "its id, from list")
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
    .description("an occurrence whole, where the conversation got a cut one")
    .argument("<occurrence>", "its id, from the wake's text")
    .addOption(jsonOption())
    .action((id: string, options: { json?: boolean }) =>
      act(options, async (output) => (await import("./commands/show.ts")).show(id, output)),
    );
  program
    .command("set")
    .description("a setting of this machine: resume never|unattended|always, unattended-wait 10m, wake-budget 60")
    .argument("<key>")
    .argument("<value>")
    .addOption(jsonOption())
    .action((key: string, value: string, options: { json?: boolean }) =>
      act(options, async (output) => (await import("./commands/set.ts")).set(key, value, output)),
    );
  // Listed for completeness; main.ts takes it before this file is loaded.
  program.command("hook").description("what an agent program's hook calls").argument("<program>").argument("<event>");
}
