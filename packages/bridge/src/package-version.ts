import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The version of this package, which all of Wakeshift's packages share. */
export function packageVersion(): string {
  const file = fileURLToPath(new URL("../package.json", import.meta.url));
  return String((JSON.parse(readFileSync(file, "utf8")) as { version?: unknown }).version);
}
