import { join } from "node:path";
import { dataDirectory } from "./data-directory.ts";

/**
 * The database file that `serve`, `app` and `key` mean: `--data`, else `WAKESHIFT_DATABASE_URL`, else the default data
 * directory. May be a `postgres://` URL.
 */
export function databasePath(dataOption: string | undefined, env: NodeJS.ProcessEnv): string {
  const set = env["WAKESHIFT_DATABASE_URL"];
  if (dataOption === undefined && set !== undefined && set !== "") return set;
  return join(dataDirectory(dataOption, env), "wakeshift.db");
}
