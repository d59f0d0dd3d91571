import { realpathSync, statSync } from "node:fs";
import { replaceFileNow } from "./json-file.ts";

/** Replaces a file of the user's whole, with its own mode and behind the link it may be. A new one gets 0600. */
export function replaceUserFile(path: string, text: string): void {
  const target = resolveLink(path);
  replaceFileNow(target, text, (statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777);
}

// Settings are often links into a dotfiles checkout: replacing the link itself would cut it off.
function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
