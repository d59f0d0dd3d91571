import { calledAs } from "@wakeshift/programs/machine";
import type { Command } from "commander";

/** What stands below the options in each command's `--help`: examples, and what else a stranger asks. */
const AFTER: Readonly<Record<string, string>> = {
  wakeshift: `Try it on this machine:
  wakeshift dev                     a core, with an app and its key
  wakeshift setup                   connects the agent programs that are installed
  wakeshift emit crawl.finished --args '{"job":"demo"}' --payload '{"status":"done"}'
                                    wakes whom a tool of your server subscribed to just this
  wakeshift doctor                  what is broken, if nothing arrives

Exit codes: 0 ok, 1 failed, 2 the command line is wrong. With --json each command prints one JSON document,
and a failure as {"error": {"code", "message"}}.

Settings, state and data lie in $WAKESHIFT_HOME, else in ~/.local/state/wakeshift (Linux),
~/Library/Application Support/Wakeshift (macOS), %LOCALAPPDATA%\\Wakeshift (Windows).`,
  "wakeshift dev": `The first start makes the app "dev" and its key, and keeps both. It listens on 127.0.0.1 only.

Examples:
  wakeshift dev
  wakeshift dev --port 4880 --data ./core-data      beside another core`,
  "wakeshift serve": `Settings from the environment:
  WAKESHIFT_PUBLIC_URL         the https address that others reach this core under
  WAKESHIFT_ADMIN_TOKEN        lets \`app\` and \`key\` work from elsewhere, with --core
  WAKESHIFT_DATABASE_URL       the SQLite file, where --data isn't given
  WAKESHIFT_LOG_LEVEL          debug, info (default), warn, error, silent
  WAKESHIFT_EMITS_PER_SECOND   what one app may emit (default 1000; 0: no limit)

Example:
  WAKESHIFT_PUBLIC_URL=https://wake.example.com wakeshift serve --data /var/lib/wakeshift`,
  "wakeshift app create": `Examples:
  wakeshift app create Crawler
  WAKESHIFT_ADMIN_TOKEN=… wakeshift app create Crawler --core https://wake.example.com`,
  "wakeshift app list": `Example:
  wakeshift app list`,
  "wakeshift key create": `Example:
  wakeshift key create Crawler --name "test server"`,
  "wakeshift key revoke": `Example:
  wakeshift key revoke KID          KID is the id that \`wakeshift app list\` shows`,
  "wakeshift emit": `Examples:
  wakeshift emit crawl.finished --args '{"job":"demo"}' --payload '{"status":"done"}'
  wakeshift emit game.turn --args '{"table":"juniper"}' --payload '{"toCall":2}' --to player-1 player-2

It answers how many conversations are subscribed with just these arguments; \`wakeshift list\` shows what they wait for.`,
  "wakeshift setup": `For each program it shows which files it would change and asks before it changes them. One that fails doesn't
stop the others; the command then leaves with 1.

Examples:
  wakeshift setup                       every program that is found here
  wakeshift setup codex
  wakeshift setup codex --diff          every line it would change; nothing is changed
  wakeshift setup codex --remove        gives the earlier bytes back; says which subscriptions stay`,
  "wakeshift doctor": `Each line begins with what it found:
  ok    works
  off   works once it is turned on, by the command below it
  new   set up, but no hook has run yet that would prove it
  FAIL  broken; the command below it fixes it
  --    not on this machine, or of a version that can't be used; no fault

It exits with 1 if a line says FAIL.

Example:
  wakeshift doctor`,
  "wakeshift bridge": `Nobody has to start it: hooks do, and the commands that ask it. It stays in the foreground when started here.

Examples:
  wakeshift bridge
  wakeshift bridge --start              one in the background
  wakeshift bridge --stop               nothing is lost: what is subscribed and pending is on disk`,
  "wakeshift status": `\`wakeshift set\` changes the settings, \`wakeshift list\` shows each subscription.

Example:
  wakeshift status`,
  "wakeshift allow": `Cores that \`dev\` or \`serve\` started on this machine are allowed without being asked.

Examples:
  wakeshift allow https://wake.example.com
  wakeshift allow https://wake.example.com --app Crawler        only this app, by its name or id`,
  "wakeshift deny": `What is subscribed there is kept, muted: the core isn't contacted any more. \`wakeshift allow\` unmutes it, \`wakeshift end\` ends one subscription.
An answer about a core replaces those about its apps.

Examples:
  wakeshift deny https://wake.example.com
  wakeshift deny https://wake.example.com --app Crawler`,
  "wakeshift list": `Example:
  wakeshift list`,
  "wakeshift end": `Examples:
  wakeshift end sub_1234                one, by the id that \`wakeshift list\` shows
  wakeshift end --program codex         all of Codex's conversations on this machine`,
  "wakeshift show": `Example:
  wakeshift show evt_1234               the id stands in the wake's text and in \`wakeshift status\``,
  "wakeshift set": `Settings:
  resume            may a wake continue a closed conversation? never (default), unattended (runs such as
                    \`codex exec\` and \`claude -p\`), always. It spends model calls with nobody watching
  unattended-wait   how long an unattended run that subscribed is held open for its event (default 10m, at most 24h;
                    a number counts in milliseconds)
  wake-budget       wakes per conversation and hour (default 60); those above it are held and delivered together

Examples:
  wakeshift set resume unattended
  wakeshift set unattended-wait 30m`,
  "wakeshift hook": `Agent programs call it; there is nothing to type. It reads the hook's input on stdin, and what goes wrong
never reaches the program: it stands in hook.log in Wakeshift's folder.

Example, as set-up writes it:
  wakeshift hook codex PostToolUse`,
};

/** Adds them to a command and to all below it. */
export function addHelpExamples(command: Command, path: string = command.name()): void {
  const text = AFTER[path];
  // As this run was called; a path would tear the examples apart.
  const called = calledAs().startsWith("node ") ? "wakeshift" : calledAs();
  if (text !== undefined) command.addHelpText("after", `\n${text.replaceAll(/(?<=[ `])wakeshift(?= [a-z])/g, called)}`);
  for (const below of command.commands) addHelpExamples(below, `${path} ${below.name()}`);
}
