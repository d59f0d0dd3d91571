import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFileAtomically } from "./write-file.ts";

/** Where the launcher of this machine lives. Hook entries in users' settings name this path and nothing else of ours. */
export function launcherPath(wakeshiftHome: string, platform: NodeJS.Platform): string {
  return join(wakeshiftHome, "bin", platform === "win32" ? "wakeshift.cmd" : "wakeshift");
}

/**
 * The launcher's text: runs the command of the installed version with the Node that installed it. Where either is gone
 * (Node upgraded, package removed) it leaves with 0, so that a hook never breaks the program that calls it. A program
 * started without `WAKESHIFT_HOME` gets the one that set-up used.
 */
export function launcherText(node: string, main: string, wakeshiftHome: string, platform: NodeJS.Platform): string {
  if (platform === "win32") {
    return `@echo off\r\nif not defined WAKESHIFT_HOME set "WAKESHIFT_HOME=${wakeshiftHome}"\r\nif not exist "${node}" exit /b 0\r\nif not exist "${main}" exit /b 0\r\n"${node}" "${main}" %*\r\n`;
  }
  return `#!/bin/sh\n[ -n "$WAKESHIFT_HOME" ] || WAKESHIFT_HOME=${quote(wakeshiftHome)}\nexport WAKESHIFT_HOME\nnode=${quote(node)}\nmain=${quote(main)}\n[ -x "$node" ] && [ -f "$main" ] || exit 0\nexec "$node" "$main" "$@"\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Writes this version's launcher. Its path stays, so that an upgrade changes no byte of any hook entry. */
export function writeLauncher(wakeshiftHome: string, platform: NodeJS.Platform): string {
  const path = launcherPath(wakeshiftHome, platform);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const main = fileURLToPath(new URL("../main.js", import.meta.url));
  writeFileAtomically(path, launcherText(process.execPath, main, wakeshiftHome, platform));
  chmodSync(path, 0o700);
  return path;
}
