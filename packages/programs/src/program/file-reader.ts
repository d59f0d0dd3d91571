import { existsSync } from "node:fs";
import { readRegularFile } from "../machine/read-regular-file.ts";
import type { FileReader } from "./program.ts";

/** Reads what a program's hook needs from its own files. Nothing else: no folders, no devices, no pipes. */
export const fileReader: FileReader = {
  readTail: (path, maxBytes) => readRegularFile(path, maxBytes)?.toString("utf8"),
  exists: (path) => existsSync(path),
};
