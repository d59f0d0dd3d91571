import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

/**
 * The last `maxBytes` of a file whose path came from a program; `undefined` where there is no such file, it can't be read, or
 * what is there is a pipe, a device or a folder. Never waits: opening a pipe would, until somebody writes to it.
 */
export function readRegularFile(path: string, maxBytes: number): Buffer | undefined {
  try {
    // Opening alone can already do something to a device.
    if (!statSync(path).isFile()) return undefined;
    // Windows has neither pipes in its folders nor the flag.
    const file = openSync(path, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
    try {
      const stat = fstatSync(file);
      return stat.isFile() ? readEnd(file, stat.size, maxBytes) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function readEnd(file: number, size: number, maxBytes: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(file, bytes, filled, bytes.length - filled, size - bytes.length + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
