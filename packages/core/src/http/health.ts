import type { Store } from "../store/store.ts";
import { RetryLater } from "./server/retry-later.ts";
import type { CoreContext } from "./request/send.ts";
import { sendJson } from "./request/send.ts";

const REMEMBERED_MS = 1_000;

/** `/healthz`: the process answers. Says nothing else: anyone may ask. */
export function healthz(): (context: CoreContext) => Response {
  return (context) => sendJson(context, '{"status":"ok"}');
}

/** `/readyz`: a write would succeed. Asked of the store at most once a second, whoever asks how often. */
export function readyz(store: Store, monotonic: () => number): (context: CoreContext) => Promise<Response> {
  let last: { readonly at: number; readonly writable: Promise<boolean> } | undefined;
  return async (context) => {
    const now = monotonic();
    if (last === undefined || now - last.at > REMEMBERED_MS) {
      const writable = store.health().then(
        (health) => health.writable,
        () => false,
      );
      last = { at: now, writable };
    }
    if (await last.writable) return sendJson(context, '{"status":"ready"}');
    throw new RetryLater("storage_full", "The store takes no writes now. It is tried again, and goes on by itself.", 5_000);
  };
}
