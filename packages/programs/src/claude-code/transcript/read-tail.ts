import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

/** The last `maxBytes` of a file as UTF-8, `undefined` where it can't be read or is none: what a pipe gives would be waited for. */
export async function readTail(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined;
    const file = await open(path, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
    try {
      const found = await file.stat();
      if (!found.isFile()) return undefined;
      const length = Math.min(found.size, maxBytes);
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await file.read(bytes, 0, length, found.size - length);
      return bytes.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
