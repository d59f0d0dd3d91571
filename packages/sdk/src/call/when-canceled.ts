const waiting: WeakMap<AbortSignal, { readonly all: Set<() => void>; readonly listener: () => void }> = new WeakMap();

/**
 * Runs `undo` once the signal is aborted; answers how to stop waiting for that. All that wait for one signal share one listener: a
 * runtime may pass its connection's, and the platform warns of a leak from the eleventh on.
 */
export function whenCanceled(signal: AbortSignal | undefined, undo: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const known = waiting.get(signal) ?? listen(signal);
  known.all.add(undo);
  return () => {
    if (!known.all.delete(undo) || known.all.size > 0) return;
    signal.removeEventListener("abort", known.listener);
    waiting.delete(signal);
  };
}

function listen(signal: AbortSignal): { readonly all: Set<() => void>; readonly listener: () => void } {
  const all = new Set<() => void>();
  const listener = (): void => {
    for (const undo of all) undo();
  };
  signal.addEventListener("abort", listener, { once: true });
  const kept = { all, listener };
  waiting.set(signal, kept);
  return kept;
}
