import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * One empty file for each conversation that has something subscribed or pending. A hook looks only for this file before
 * it does anything else: without it, no bridge is started and nothing is asked.
 */
export function liveMarker(folder: string, program: string, conversation: string): string {
  return join(folder, `${program}-${createHash("sha256").update(conversation).digest("hex").slice(0, 40)}`);
}

export function isLive(folder: string, program: string, conversation: string): boolean {
  return existsSync(liveMarker(folder, program, conversation));
}

/** Whether any conversation of the program has something subscribed or pending. */
export function isAnyLive(folder: string, program: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith(`${program}-`));
  } catch {
    return false;
  }
}

/** Keeps the files as the bridge's state says. */
export class LiveMarkers {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  set(program: string, conversation: string, live: boolean): void {
    const path = liveMarker(this.#folder, program, conversation);
    if (!live) rmSync(path, { force: true });
    else if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600 });
  }

  /** Removes the files of all other conversations, left by a crash. */
  keepOnly(live: readonly { readonly program: string; readonly conversation: string }[]): void {
    const wanted = new Set(live.map((one) => liveMarker(this.#folder, one.program, one.conversation)));
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name);
      if (!wanted.has(path)) rmSync(path, { force: true });
    }
    for (const one of live) this.set(one.program, one.conversation, true);
  }
}
