import type { Readable } from "node:stream";

const MOST_BYTES = 16_777_216;
const LOOK_MS = 500;
/** Looks without anything new after which a whole text counts as all there is: the program keeps its end open. */
const LOOKS_AT_A_WHOLE = 4;
/** Looks without anything new after which nothing more is waited for. */
const LOOKS_IN_VAIN = 60;

/** A hook's input. `broken`: something came, and it is no use. */
export interface HookInputRead {
  /** `undefined` where nothing usable came. */
  readonly input: unknown;
  readonly broken?: "not JSON" | "too long" | "cut off";
}

/**
 * Reads the hook's input: stdin parsed as JSON. It is read to its end even where it is too long, so that the program isn't
 * left with a broken pipe. One that doesn't end is taken once it is whole and no more comes. What is counted is how often was
 * looked in vain, not the time: a program, or a machine, that stands still for a while has said nothing yet.
 */
export function readHookInput(stdin: Readable & { readonly isTTY?: boolean }): Promise<HookInputRead> {
  if (stdin.isTTY === true) return Promise.resolve({ input: undefined });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let looks = 0;
    const finish = (isWhole: boolean): void => {
      clearInterval(timer);
      resolve(size > MOST_BYTES ? { input: undefined, broken: "too long" } : read(Buffer.concat(chunks), isWhole));
    };
    const look = (): void => {
      looks += 1;
      if (looks === LOOKS_AT_A_WHOLE && isWhole(chunks)) finish(true);
      else if (looks >= LOOKS_IN_VAIN) finish(false);
    };
    const timer = setInterval(look, LOOK_MS);
    stdin.on("data", (chunk: Buffer | string) => {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      looks = 0;
      size += bytes.length;
      if (size <= MOST_BYTES) chunks.push(bytes);
      else chunks.length = 0;
    });
    stdin.on("end", () => finish(true));
    stdin.on("error", () => finish(false));
  });
}

function isWhole(chunks: readonly Buffer[]): boolean {
  return chunks.length > 0 && read(Buffer.concat(chunks), true).broken === undefined;
}

function read(bytes: Buffer, isWhole: boolean): HookInputRead {
  if (bytes.length === 0) return { input: undefined };
  try {
    return { input: JSON.parse(bytes.toString("utf8")) };
  } catch {
    return { input: undefined, broken: isWhole ? "not JSON" : "cut off" };
  }
}
