import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import type { FileReader } from "../programs/program.ts";

/** Reads what a program's hook needs from its own files. Nothing else: no folders, no devices, no pipes. */
export const fileReader: FileReader = {
  readTail(path, maxBytes) {
    try {
      const file = openSync(path, "r");
      try {
        const { size } = fstatSync(file);
        if (!fstatSync(file).isFile()) return undefined;
        const length = Math.min(size, maxBytes);
        const bytes = Buffer.alloc(length);
        const read = readSync(file, bytes, 0, length, size - length);
        return bytes.toString("utf8", 0, read);
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  },
  exists: (path) => existsSync(path),
};
