import { randomBytes } from "node:crypto";
import { createApp, createKey, readConfig, type RunningCore } from "@wakeshift/core";
import { ownCommand } from "@wakeshift/programs/machine";
import { shownCommand } from "@wakeshift/protocol";
import { registerLocalCore } from "../core/register-local-core.ts";
import { dataDirectory } from "../core/data-directory.ts";
import { databasePath } from "../core/database-path.ts";
import { devKeyFile, readDevKey, writeDevKey } from "../core/dev-key.ts";
import { parsePort } from "../core/port.ts";
import { runCore } from "../core/run-core.ts";
import type { Output } from "../output.ts";
import { dataOption, examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `dev`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("dev")
    .description("run a core on this machine for trying things out, with an app and a key")
    .option("--port <port>", "port to listen on; 0 picks a free one", "4870")
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`The first start makes the app "dev" and its key, and keeps both. It listens on 127.0.0.1 only.

Examples:
  wakeshift dev
  wakeshift dev --port 4880 --data ./core-data      beside another core`),
    )
    .action((options: { port: string; data?: string; json?: boolean }) => act(options, (output) => dev(options, output)));
};

/** Options of `wakeshift dev`. */
export interface DevOptions {
  readonly port: string;
  readonly data?: string;
}

const APP_NAME = "dev";

/** Runs a core on loopback until it is told to stop, with an app and a key made at the first start. */
export async function dev(options: DevOptions, output: Output): Promise<undefined> {
  const data = dataDirectory(options.data, process.env);
  // A production core's environment must not leak into this one: only how much is logged is taken from it.
  const { logLevel } = readConfig({ WAKESHIFT_LOG_LEVEL: process.env["WAKESHIFT_LOG_LEVEL"] ?? "warn" });
  const config = { port: parsePort(options.port), databasePath: databasePath(data, {}), ...(logLevel === undefined ? {} : { logLevel }) };
  await runCore(config, async (core) => {
    const app = await ensureDevApp(core, data);
    registerLocalCore(core.url, core.proofSecret, output);
    const keyFile = devKeyFile(data);
    output.show(
      { url: core.url, data, app, key_file: keyFile, pid: process.pid },
      `Wakeshift core listening on ${core.url}
Data: ${data}
App: ${APP_NAME} (${app}), whose name stands in the wakes it sends

Your MCP server's environment:
  export WAKESHIFT_KEY=$(${shownCommand(["cat"], [keyFile])})${core.port === 4870 ? "" : `\n  export WAKESHIFT_CORE=${core.url}`}

Connect your agent programs, once:
  ${ownCommand(["setup"])}
Emit, when a conversation has subscribed:
  ${ownCommand(emitCommand(options.data === undefined ? undefined : data, core))}

Ctrl-C stops it; what was accepted stays on disk.`,
    );
  });
  return undefined;
}

function emitCommand(data: string | undefined, core: RunningCore): readonly string[] {
  const place = [...(data === undefined ? [] : ["--data", data]), ...(core.port === 4870 ? [] : ["--core", core.url])];
  return ["emit", "EVENT", "--args", "{…}", "--payload", "{…}", ...place];
}

/** The app `dev` and a key of it that is in force, made where they are missing. */
async function ensureDevApp(core: RunningCore, data: string): Promise<string> {
  const parts = { store: core.store, now: () => Date.now(), randomBytes: (length: number) => randomBytes(length) };
  const app = await core.store.findApp(APP_NAME);
  if (app === undefined) {
    const created = await createApp(parts, APP_NAME);
    writeDevKey(data, created.key.key);
    return created.app.id;
  }
  if (readDevKey(data) === undefined) writeDevKey(data, (await createKey(parts, app.id)).key);
  return app.id;
}
