import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceUserFile } from "@wakeshift/programs/machine";

/** What a launcher starts. */
export interface LauncherTarget {
  /** The Node that set-up ran with. */
  readonly node: string;
  /** The entry file of the installed command. */
  readonly main: string;
  /** How set-up was called: what texts of hooks and the bridge tell the user to run. */
  readonly command: string;
}

/** Where the launcher of this machine lives. Hook entries in users' settings name this path and nothing else of ours. */
export function launcherPath(wakeshiftHome: string, platform: NodeJS.Platform): string {
  return join(wakeshiftHome, "bin", platform === "win32" ? "wakeshift.cmd" : "wakeshift");
}

/** Where Node is often found, for a program that was started without a shell's `PATH`. */
const NODE_PLACES = [
  '"$HOME"/.nvm/versions/node/*/bin/node',
  '"$HOME"/.local/share/fnm/node-versions/*/installation/bin/node',
  '"$HOME"/.volta/bin/node',
  '"$HOME"/.local/share/mise/shims/node',
  '"$HOME"/.asdf/shims/node',
  "/opt/homebrew/bin/node",
  "/usr/local/bin/node",
  "/usr/bin/node",
].join(" ");

/**
 * The launcher's text: runs the installed command with the Node that set-up used or, if that is gone, with another one of 20 or
 * newer. If there is none, or the command is gone, a hook exits with 0, so that it never breaks the program that calls it; every
 * other command fails and says what is gone.
 *
 * A program started without `WAKESHIFT_HOME` gets the one that set-up used. What a program or an editor sets for its own Node
 * (`NODE_OPTIONS` with a preload that is gone, a debugger's port) could end ours at its start, so it is passed on under another name.
 */
export function launcherText(target: LauncherTarget, wakeshiftHome: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? windowsText(target, wakeshiftHome) : posixText(target, wakeshiftHome);
}

function posixText({ node, main, command }: LauncherTarget, wakeshiftHome: string): string {
  return `#!/bin/sh
[ -n "$WAKESHIFT_HOME" ] || WAKESHIFT_HOME=${quote(wakeshiftHome)}
[ -z "$NODE_OPTIONS" ] || WAKESHIFT_NODE_OPTIONS=$NODE_OPTIONS
WAKESHIFT_COMMAND=${quote(command)}
export WAKESHIFT_HOME WAKESHIFT_COMMAND WAKESHIFT_NODE_OPTIONS
unset NODE_OPTIONS NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID
node=${quote(node)}
main=${quote(main)}
if [ -f "$main" ]; then
  [ -x "$node" ] && exec "$node" "$main" "$@"
  for other in "$(command -v node)" ${NODE_PLACES}; do
    [ -x "$other" ] && "$other" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && exec "$other" "$main" "$@"
  done
  gone="$node is gone, and no other Node.js 20 or newer was found"
else
  gone="$main is gone"
fi
[ "$1" = hook ] && exit 0
echo "wakeshift: $gone. Run: $WAKESHIFT_COMMAND setup" >&2
exit 1
`;
}

function windowsText({ node, main, command }: LauncherTarget, wakeshiftHome: string): string {
  return [
    "@echo off",
    `if not defined WAKESHIFT_HOME set "WAKESHIFT_HOME=${wakeshiftHome}"`,
    `if defined NODE_OPTIONS set "WAKESHIFT_NODE_OPTIONS=%NODE_OPTIONS%"`,
    `set "WAKESHIFT_COMMAND=${command}"`,
    'set "NODE_OPTIONS="',
    'set "NODE_CHANNEL_FD="',
    `set "WAKESHIFT_NODE=${node}"`,
    'if not exist "%WAKESHIFT_NODE%" for /f "delims=" %%n in (\'where node 2^>nul\') do set "WAKESHIFT_NODE=%%n"',
    `if exist "${main}" if exist "%WAKESHIFT_NODE%" ("%WAKESHIFT_NODE%" "${main}" %* & exit /b)`,
    'if "%~1"=="hook" exit /b 0',
    `echo wakeshift: ${main} or its Node.js is gone. Run: ${command} setup 1>&2`,
    "exit /b 1",
    "",
  ].join("\r\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Writes a launcher for `target`. Its path stays, so that an upgrade changes no byte of any hook entry.
 *
 * @returns what was wrong with the one that was there and is repaired by this; `undefined` if nothing was.
 */
export function writeLauncher(
  target: LauncherTarget,
  wakeshiftHome: string,
  platform: NodeJS.Platform,
  isThere: (path: string) => boolean,
): string | undefined {
  const path = launcherPath(wakeshiftHome, platform);
  const before = readText(path);
  const gone = before === undefined ? [] : namedFiles(before).filter((file) => !isThere(file));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceUserFile(path, launcherText(target, wakeshiftHome, platform));
  chmodSync(path, 0o700);
  return gone.length === 0 ? undefined : `${path} called ${gone.join(" and ")}, which is gone; it calls ${target.main} now`;
}

/** The Node and the entry file that a launcher's text names, of this or an earlier version. */
function namedFiles(text: string): readonly string[] {
  const named = [...text.matchAll(/^(?:node|main)='((?:[^']|'\\'')*)'$/gm)].map((found) => (found[1] ?? "").replaceAll(`'\\''`, "'"));
  return named.length > 0 ? named : [...text.matchAll(/if (?:not )?exist "([^"%]+)"/g)].map((found) => found[1] ?? "");
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
