import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceUserFile } from "@wakeshift/programs/machine";

/** Where `dev` keeps the key of its app, readable by this user only. */
export function devKeyFile(dataDirectory: string): string {
  return join(dataDirectory, "dev.key");
}

/** The key `dev` made, `undefined` where there is none. */
export function readDevKey(dataDirectory: string): string | undefined {
  try {
    const key = readFileSync(devKeyFile(dataDirectory), "utf8").trim();
    return key === "" ? undefined : key;
  } catch {
    return undefined;
  }
}

/** Keeps a new one, mode 0600. */
export function writeDevKey(dataDirectory: string, key: string): void {
  replaceUserFile(devKeyFile(dataDirectory), `${key}\n`);
}
