import { readConfig } from "@wakeshift/core";
import { isLoopbackHost } from "@wakeshift/protocol";
import { registerLocalCore } from "../core/register-local-core.ts";
import { appCreateCommand, databasePath } from "../core/database-path.ts";
import { parsePort } from "../core/port.ts";
import { runCore } from "../core/run-core.ts";
import type { Output } from "../output.ts";
import { dataOption, examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `serve`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("serve")
    .description("run a core that others reach, behind your TLS proxy")
    .option("--port <port>", "port to listen on; 0 picks a free one", "4870")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Settings from the environment:
  WAKESHIFT_PUBLIC_URL         the https address that others reach this core under
  WAKESHIFT_ADMIN_TOKEN        lets \`app\` and \`key\` work from elsewhere, with --core
  WAKESHIFT_DATABASE_URL       the SQLite file, where --data isn't given
  WAKESHIFT_LOG_LEVEL          debug, info (default), warn, error, silent
  WAKESHIFT_EMITS_PER_SECOND   what one app may emit (default 1000; 0: no limit)

Example:
  WAKESHIFT_PUBLIC_URL=https://wake.example.com wakeshift serve --data /var/lib/wakeshift`),
    )
    .action((options: { port: string; host: string; data?: string; json?: boolean }) => act(options, (output) => serve(options, output)));
};

/** Options of `wakeshift serve`. */
export interface ServeOptions {
  readonly port: string;
  readonly host: string;
  readonly data?: string;
}

/** Runs a production core until it is told to stop. Settings come from the environment; see `readConfig`. */
export async function serve(options: ServeOptions, output: Output): Promise<undefined> {
  const path = databasePath(options.data, process.env);
  const config = { ...readConfig(process.env), host: options.host, port: parsePort(options.port), databasePath: path };
  await runCore(config, (core) => {
    registerLocalCore(config.publicUrl ?? core.url, core.proofSecret, output);
    const facts = {
      url: core.url,
      public_url: config.publicUrl ?? core.url,
      database: path,
      app_create: appCreateCommand(path),
      pid: process.pid,
    };
    // Behind a pipe nobody reads sentences: what is collected there is JSON throughout, as the log is.
    if (!process.stdout.isTTY) {
      output.show(facts, JSON.stringify(facts));
      return;
    }
    output.show(
      facts,
      [
        `Wakeshift core listening on ${options.host} port ${String(core.port)}${config.publicUrl === undefined ? "" : `, reached as ${config.publicUrl}`}`,
        `Data: ${path}`,
        config.publicUrl === undefined ? "WAKESHIFT_PUBLIC_URL isn't set: only requests to a loopback name are answered." : "",
        isLoopbackHost(options.host)
          ? ""
          : `${options.host} is open to the network, without TLS. Keep --host on loopback behind a TLS proxy.`,
        `Make an app: ${facts.app_create}`,
      ]
        .filter((line) => line !== "")
        .join("\n"),
    );
  });
  return undefined;
}
