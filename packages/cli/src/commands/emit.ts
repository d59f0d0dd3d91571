import { isRecord, WakeshiftError } from "@wakeshift/protocol";
import { emitNamed } from "@wakeshift/sdk";
import { dataDirectory } from "../core/data-directory.ts";
import { readDevKey } from "../core/dev-key.ts";
import type { Output } from "../output.ts";
import { describeEmitted } from "../show/describe-emitted.ts";
import { dataOption, examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `emit`. */
export const addCommand: AddCommand = (program, act) => {
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
    .addHelpText(
      "after",
      examplesBelow(`Examples:
  wakeshift emit crawl.finished --args '{"job":"demo"}' --payload '{"status":"done"}'
  wakeshift emit game.turn --args '{"table":"juniper"}' --payload '{"toCall":2}' --to player-1 player-2

It answers how many conversations are subscribed with just these arguments; \`wakeshift list\` shows what they wait for.`),
    )
    .action((event: string, options: EmitOptions) => act(options, (output) => emit(event, options, output)));
};

/** Options of `wakeshift emit`. */
export interface EmitOptions {
  readonly args: string;
  readonly payload: string;
  readonly text?: string;
  readonly to?: readonly string[];
  readonly id?: string;
  readonly data?: string;
  readonly core?: string;
  readonly json?: boolean;
}

/**
 * Emits one occurrence with the key in `WAKESHIFT_KEY`, else with the one `dev` made on this machine.
 *
 * @throws WakeshiftError `bad_request` where an option is no JSON, else what the core answered
 */
export async function emit(event: string, options: EmitOptions, output: Output): Promise<undefined> {
  const key = process.env["WAKESHIFT_KEY"] ?? readDevKey(dataDirectory(options.data, process.env));
  const args = parseJson("--args", options.args);
  if (!isRecord(args)) {
    throw new WakeshiftError("bad_request", `--args takes a JSON object, such as '{"job":"demo"}'.`);
  }
  const emitted = await emitNamed(
    {
      name: event,
      arguments: args,
      payload: parseJson("--payload", options.payload),
      // Left out, the core writes what an emit by the SDK says: by the event's description.
      ...(options.text === undefined ? {} : { text: options.text }),
      ...(options.to === undefined ? {} : { to: options.to }),
      ...(options.id === undefined ? {} : { id: options.id }),
    },
    { ...(key === undefined ? {} : { key }), ...(options.core === undefined ? {} : { core: options.core }) },
  );
  output.show(emitted, describeEmitted(emitted));
  return undefined;
}

function parseJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WakeshiftError(
      "bad_request",
      `${option} isn't JSON: ${text.slice(0, 80)}. Quote it for your shell, such as '${option === "--args" ? `{"job":"demo"}` : `{"status":"done"}`}'.`,
    );
  }
}
