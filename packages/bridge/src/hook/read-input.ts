import type { Readable } from "node:stream";

const MOST_BYTES = 16_777_216;
const LONGEST_MS = 5_000;

/**
 * The hook's input: stdin parsed as JSON, `undefined` where it is empty, too long, no JSON or doesn't end. It is read to
 * its end even then, so that the program isn't left with a broken pipe.
 */
export function readHookInput(stdin: Readable & { readonly isTTY?: boolean }): Promise<unknown> {
  if (stdin.isTTY === true) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (): void => {
      clearTimeout(timer);
      resolve(size > MOST_BYTES ? undefined : parse(Buffer.concat(chunks).toString("utf8")));
    };
    const timer = setTimeout(finish, LONGEST_MS);
    stdin.on("data", (chunk: Buffer | string) => {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size <= MOST_BYTES) chunks.push(bytes);
      else chunks.length = 0;
    });
    stdin.on("end", finish);
    stdin.on("error", finish);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
