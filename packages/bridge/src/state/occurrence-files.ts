import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { OccurrenceAnswer } from "../local-api.ts";
import { replaceFile } from "../files/json-file.ts";

const KEPT_MS = 8 * 86_400_000;
const MOST_BYTES = 268_435_456;

const documentSchema: z.ZodType<OccurrenceAnswer> = z.object({
  occurrence: z.string(),
  event: z.string(),
  app: z.object({ id: z.string(), name: z.string() }),
  subscription: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  text: z.string(),
  payload: z.unknown(),
  timestamp: z.string(),
});

/**
 * Keeps each received occurrence in a file of its own: for its delivery, and for `show` afterwards. Named by its core, its
 * app and its id, since two apps may use the same id.
 */
export class OccurrenceFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** The occurrence is on disk when this resolves. */
  async keep(base: string, occurrence: OccurrenceAnswer): Promise<void> {
    await replaceFile(join(this.#folder, fileName(base, occurrence.app.id, occurrence.occurrence)), JSON.stringify(occurrence));
  }

  remove(base: string, app: string, occurrence: string): void {
    rmSync(join(this.#folder, fileName(base, app, occurrence)), { force: true });
  }

  read(base: string, app: string, occurrence: string): OccurrenceAnswer | undefined {
    return this.#readFile(fileName(base, app, occurrence));
  }

  /** The newest one with this id, whichever app it is from. */
  find(occurrence: string): OccurrenceAnswer | undefined {
    const prefix = `${digest(occurrence)}-`;
    const names = readdirSync(this.#folder).filter((name) => name.startsWith(prefix) && name.endsWith(".json"));
    const newest = names.map((name) => ({ name, at: this.#stat(name)?.mtimeMs ?? 0 })).sort((one, other) => other.at - one.at)[0];
    return newest === undefined ? undefined : this.#readFile(newest.name);
  }

  /** Removes what is too old, and the oldest above the room there is; never what is still pending. */
  prune(now: number, isPending: (occurrence: string) => boolean): void {
    const files = readdirSync(this.#folder)
      .map((name) => ({ name, stat: this.#stat(name) }))
      .filter((file) => file.stat !== undefined)
      .map((file) => ({ name: file.name, at: file.stat?.mtimeMs ?? 0, size: file.stat?.size ?? 0 }))
      .sort((one, other) => other.at - one.at);
    let bytes = 0;
    for (const file of files) {
      bytes += file.size;
      if (now - file.at < KEPT_MS && bytes <= MOST_BYTES) continue;
      const content = this.#readFile(file.name);
      if (content === undefined || !isPending(content.occurrence)) rmSync(join(this.#folder, file.name), { force: true });
    }
  }

  #readFile(name: string): OccurrenceAnswer | undefined {
    try {
      return documentSchema.parse(JSON.parse(readFileSync(join(this.#folder, name), "utf8")));
    } catch {
      // Absent, or damaged: the core still holds what wasn't acked.
      return undefined;
    }
  }

  #stat(name: string): { readonly mtimeMs: number; readonly size: number } | undefined {
    try {
      return statSync(join(this.#folder, name));
    } catch {
      return undefined;
    }
  }
}

function fileName(base: string, app: string, occurrence: string): string {
  return `${digest(occurrence)}-${digest(`${base}\n${app}`).slice(0, 16)}.json`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
