import { WakeshiftError } from "@wakeshift/protocol";
import type { Command } from "commander";

/** What commander refused, said as every failure of this command is, with the help that tells what `command` takes. */
export function describeUsageError(message: string, command: Command): WakeshiftError {
  const [said = "", guess] = message.replace(/^error: /, "").split(/\n\(|\)$/);
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}`.replace(/\.$/, "");
  const hint = command.commands.length > 0 ? "lists the commands" : "says what it takes";
  return new WakeshiftError(
    "bad_request",
    `${sentence}${guess === undefined ? "" : ` (${guess.replace(/^Did/, "did")})`}. \`${pathOf(command)} --help\` ${hint}.`,
  );
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
