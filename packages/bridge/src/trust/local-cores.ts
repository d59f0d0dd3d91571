import { statSync } from "node:fs";
import { parseCoreUrl } from "@wakeshift/protocol";
import { readJsonFile } from "../files/json-file.ts";
import { bridgeHome, type BridgeHome } from "../home.ts";
import { replaceFileNow } from "@wakeshift/programs/machine";
import { makeWritableFolder } from "../files/writable-folder.ts";
import { CoreSecrets } from "./core-secrets.ts";

const MOST_CORES = 100;

/**
 * Notes a core that was started on this machine, so that the bridge may contact it without asking. Called by `dev` and
 * `serve` with each address they are reached at. Safe to repeat.
 *
 * @param folder - `$WAKESHIFT_HOME`
 * @param proofSecret - the running core's `proofSecret`: a bridge then sends nothing to a listener at an http address that can't
 * prove it knows it. An https address is proven by its certificate. Without it, whatever listens there counts as that core.
 * @throws WakeshiftError `bad_request` where that can't be written to; `storage_full`
 */
export function registerLocalCore(folder: string, address: string, proofSecret?: string): void {
  const { origin } = parseCoreUrl(address);
  const home = bridgeHome(folder);
  const path = home.localCores;
  makeWritableFolder(folder);
  // Before the address: a bridge never sees a new one without its secret.
  if (proofSecret !== undefined && origin.startsWith("http:")) new CoreSecrets(home.coreSecrets).note(origin, proofSecret);
  // Two cores that start at once may overwrite each other's entry; the second look mends that.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const known = readLocalCores(path);
    if (known.includes(origin)) return;
    replaceFileNow(path, JSON.stringify({ v: 1, origins: [...known, origin].slice(-MOST_CORES) }));
  }
}

/** The noted origins. A file that can't be used counts as empty. */
export function readLocalCores(path: string): string[] {
  const read = readJsonFile(path);
  if (read.kind !== "value") return [];
  const origins = (read.value as { origins?: unknown } | null)?.origins;
  return Array.isArray(origins) ? origins.filter((origin) => typeof origin === "string") : [];
}

const LOOK_MS = 100;

/** Reads the file again only when it has changed, and looks at it only so often. */
export class LocalCores {
  readonly #path: string;
  readonly #secrets: CoreSecrets;
  #version = "";
  #origins: readonly string[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(home: Pick<BridgeHome, "localCores" | "coreSecrets">) {
    this.#path = home.localCores;
    this.#secrets = new CoreSecrets(home.coreSecrets);
  }

  /** What the core noted at this origin proves itself with. `undefined`: it was noted without a secret, or none was noted. */
  secretOf(origin: string): string | undefined {
    return this.#secrets.find(origin);
  }

  /** Takes whatever listens at this origin for its core, until one is noted there again. */
  waiveProof(origin: string): void {
    this.#secrets.forget(origin);
  }

  origins(): readonly string[] {
    if (performance.now() - this.#lookedAt < LOOK_MS) return this.#origins;
    this.#lookedAt = performance.now();
    const version = this.#stat();
    if (version !== this.#version) {
      this.#origins = version === "" ? [] : readLocalCores(this.#path);
      this.#version = version;
    }
    return this.#origins;
  }

  #stat(): string {
    try {
      const found = statSync(this.#path, { bigint: true });
      return `${found.ino}:${found.mtimeNs}:${found.size}`;
    } catch {
      return "";
    }
  }
}
