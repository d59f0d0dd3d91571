import type { z } from "zod";
import { keepAside, readJsonFile } from "./json-file.ts";

/**
 * Reads one of the bridge's state files. One that holds something else than it should is kept aside, reported, and
 * counts as empty: the bridge goes on.
 */
export function readDocument<T>(path: string, schema: z.ZodType<T>, report: (path: string, keptAs: string) => void): T | undefined {
  const read = readJsonFile(path);
  if (read.kind === "absent") return undefined;
  if (read.kind === "corrupt") {
    report(path, read.keptAs);
    return undefined;
  }
  const parsed = schema.safeParse(read.value);
  if (parsed.success) return parsed.data;
  report(path, keepAside(path));
  return undefined;
}

/** Of a list in a state file, the entries that are as they should be. */
export function soundEntries<T>(entries: readonly unknown[], schema: z.ZodType<T>): T[] {
  const sound: T[] = [];
  for (const entry of entries) {
    const parsed = schema.safeParse(entry);
    if (parsed.success) sound.push(parsed.data);
  }
  return sound;
}
