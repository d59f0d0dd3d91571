import { WakeshiftError } from "@wakeshift/protocol";
import type { EventRecord, Store } from "../../store/store.ts";

/** The event an app published under a name. @throws WakeshiftError `unknown_event` */
export async function findEvent(store: Store, appId: string, name: string): Promise<EventRecord> {
  const event = await store.findEvent(appId, name);
  if (event !== undefined) return event;
  const shown = JSON.stringify(name.slice(0, 80));
  throw new WakeshiftError("unknown_event", `This app has published no event ${shown}. Define it with defineEvent and publish the manifest first.`);
}
