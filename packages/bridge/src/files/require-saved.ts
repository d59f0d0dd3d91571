import { WakeshiftError } from "@wakeshift/protocol";

/**
 * Tells whoever asked for a change that it isn't on disk yet. The bridge goes on with it and tries again by itself, but a bridge
 * that ends before has lost it.
 *
 * @throws WakeshiftError `storage_full`
 */
export function requireSaved(saved: boolean): void {
  if (saved) return;
  throw new WakeshiftError(
    "storage_full",
    "The bridge can't write its state: its disk is full, or its folder can't be written. What was asked counts until the bridge ends, and it goes on trying to write it. Make room, then ask again.",
  );
}
