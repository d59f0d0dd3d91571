import { replaceFile } from "./json-file.ts";

export interface SavedDocumentOptions {
  readonly path: string;
  /** The whole document, taken when it is about to be written. */
  readonly snapshot: () => unknown;
  readonly onFailure: (error: unknown) => void;
  /** Pause before a failed write is tried again, in milliseconds. */
  readonly retryMs: number;
}

/**
 * One JSON file that follows a value in memory. Changes made while a write runs go into the next one together, so that a
 * burst costs two writes. A failed write (a full disk) is tried again for as long as it takes.
 */
export class SavedDocument {
  readonly #options: SavedDocumentOptions;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: SavedDocumentOptions) {
    this.#options = options;
  }

  /** Resolves when everything changed before the call is on disk (true), or the write failed and will be repeated (false). */
  save(): Promise<boolean> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#start();
    this.#next = this.#running.then(() => {
      this.#next = undefined;
      return this.#start();
    });
    return this.#next;
  }

  #start(): Promise<boolean> {
    clearTimeout(this.#retry);
    const run = this.#write().finally(() => {
      if (this.#running === run) this.#running = undefined;
    });
    this.#running = run;
    return run;
  }

  async #write(): Promise<boolean> {
    try {
      await replaceFile(this.#options.path, JSON.stringify(this.#options.snapshot()));
      return true;
    } catch (error) {
      this.#options.onFailure(error);
      this.#retry = setTimeout(() => void this.save(), this.#options.retryMs);
      this.#retry.unref();
      return false;
    }
  }
}
