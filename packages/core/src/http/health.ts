import type { Store, StoreHealth } from "../engine/store.ts";
import { RetryLater } from "../engine/retry-later.ts";
import type { CoreContext } from "./request/send.ts";
import { sendJson } from "./request/send.ts";

const REMEMBERED_MS = 1_000;
const RETRY_AFTER_MS = 5_000;

/** `/healthz`: the process answers. Says nothing else: anyone may ask. */
export function healthz(): (context: CoreContext) => Response {
  return (context) => sendJson(context, '{"status":"ok"}');
}

/**
 * `/readyz`: a write would succeed. Asked of the store at most once a second, whoever asks how often; but from the first refused
 * write on it says so.
 */
export function readyz(store: Store, monotonic: () => number): (context: CoreContext) => Promise<Response> {
  let last: { readonly at: number; readonly health: Promise<StoreHealth> } | undefined;
  store.listen({
    refused: (failure) => (last = { at: monotonic(), health: Promise.resolve({ writable: false, failure }) }),
  });
  return async (context) => {
    const now = monotonic();
    if (last === undefined || now - last.at > REMEMBERED_MS) last = { at: now, health: store.health() };
    const health = await last.health;
    if (health.writable) return sendJson(context, '{"status":"ready"}');
    const { code, message } = health.failure;
    throw new RetryLater(code, message, RETRY_AFTER_MS, { status: 503 });
  };
}
