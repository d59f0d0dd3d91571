import type { AppAnswer } from "@wakeshift/protocol";
import type { CoreServices } from "../core-services.ts";
import type { AppCall } from "./app-call.ts";

/** `GET /app`: which app a key is. */
export function appInfo({ store, readers }: CoreServices): AppCall<undefined> {
  return async (_input, key): Promise<AppAnswer> => {
    const app = await store.findApp(key.appId);
    return { id: key.appId, name: app?.name ?? key.appId, key: { key_id: key.keyId, name: key.name }, core: readers.core };
  };
}
