import { open } from "node:fs/promises";

/** The last `maxBytes` of a file as UTF-8, `undefined` where it can't be read. */
export async function readTail(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const length = Math.min(size, maxBytes);
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await file.read(bytes, 0, length, size - length);
      return bytes.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
