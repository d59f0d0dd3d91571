import { readConfig } from "@wakeshift/core";
import { isLoopbackHost } from "@wakeshift/protocol";
import { registerLocalCore } from "../core/register-local-core.ts";
import { appCreateCommand, databasePath } from "../core/database-path.ts";
import { parsePort } from "../core/port.ts";
import { runCore } from "../core/run-core.ts";
import type { Output } from "../output.ts";

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
