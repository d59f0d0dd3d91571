import { isRecord, WakeshiftError } from "@wakeshift/protocol";
import { emitNamed } from "@wakeshift/sdk";
import { dataDirectory } from "../core/data-directory.ts";
import { readDevKey } from "../core/dev-key.ts";
import type { Output } from "../output.ts";
import { describeEmitted } from "../show/describe-emitted.ts";

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
