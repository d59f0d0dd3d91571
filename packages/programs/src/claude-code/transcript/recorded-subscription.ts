import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SUBSCRIPTION_META_KEY, isRecord } from "@wakeshift/protocol";
import { readRegularFile } from "../../machine/read-regular-file.ts";
import { linesWith } from "./transcript-results.ts";

const MOST_TRANSCRIPTS = 20;
const TAIL_BYTES = 1_048_576;

/**
 * Whether a tool's result in one of the newest transcripts brought a subscription that hasn't expired. Whether it was ended
 * since isn't known there.
 */
export function recordsSubscription(configFolder: string, now: number): boolean {
  return newestTranscripts(join(configFolder, "projects")).some((path) => {
    const tail = readRegularFile(path, TAIL_BYTES)?.toString("utf8") ?? "";
    return [...linesWith(tail, SUBSCRIPTION_META_KEY)].some((line) => isUnexpired(line.mcpMeta?._meta, now));
  });
}

function isUnexpired(meta: unknown, now: number): boolean {
  const entries = isRecord(meta) ? meta[SUBSCRIPTION_META_KEY] : undefined;
  return Array.isArray(entries) && entries.some((entry) => isRecord(entry) && Date.parse(String(entry["expiresAt"])) > now);
}

function newestTranscripts(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name))
      .map((path) => ({ path, changed: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => other.changed - one.changed)
      .slice(0, MOST_TRANSCRIPTS)
      .map(({ path }) => path);
  } catch {
    return [];
  }
}
