import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ownCommand } from "@wakeshift/programs/machine";
import { shownCommand } from "@wakeshift/protocol";
import { dataDirectory } from "./data-directory.ts";

const FILE = "wakeshift.db";

/**
 * The database file that `serve`, `app` and `key` mean: `--data`, else `WAKESHIFT_DATABASE_URL`, else the default data
 * directory. Absolute, but for a `postgres://` URL.
 */
export function databasePath(dataOption: string | undefined, env: NodeJS.ProcessEnv): string {
  const set = env["WAKESHIFT_DATABASE_URL"];
  if (dataOption !== undefined || set === undefined || set === "") return join(dataDirectory(dataOption, env), FILE);
  if (set.startsWith("file:")) return fileURLToPath(set);
  return /^postgres(ql)?:/i.test(set) ? set : resolve(set);
}

/** The command that makes an app in this database, from whatever folder and environment it is run. */
export function appCreateCommand(database: string): string {
  const command = ["app", "create"];
  if (basename(database) === FILE) return `${ownCommand([...command, "--data", dirname(database)])} NAME`;
  return `WAKESHIFT_DATABASE_URL=${shownCommand([database])} ${ownCommand(command)} NAME`;
}
