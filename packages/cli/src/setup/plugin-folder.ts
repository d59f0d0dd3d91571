import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of static files that an agent program loads: beside this package's `dist` as published, else the checkout's. */
export function pluginFolder(program: string): string {
  const published = fileURLToPath(new URL(`../../plugins/${program}`, import.meta.url));
  if (existsSync(published)) return published;
  return fileURLToPath(new URL(`../../../../plugins/${program}`, import.meta.url));
}
