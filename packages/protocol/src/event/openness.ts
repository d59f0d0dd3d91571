import type { Access, Via } from "../app-api.ts";
import { WakeshiftError } from "../errors.ts";

/** The author's tools always may. Other paths only if the event declares one, or was published without the access rule (`undefined`). */
export function mayBeUsedBy(access: readonly Access[] | undefined, via: Via): boolean {
  return via === "tool" || access === undefined || access.length > 0;
}

/** By which path a subscription comes. The built-in tool can't pass for the author's, whatever the SDK says. */
export function viaOf(via: Via | undefined, tool: string | undefined): Via {
  return tool === "subscribe_events" ? "subscribe_events" : (via ?? "tool");
}

/** Refuses a path that an event isn't open to. @throws WakeshiftError `not_open` */
export function assertOpen(event: { readonly name: string; readonly access: readonly Access[] | undefined }, via: Via): void {
  if (!mayBeUsedBy(event.access, via)) throw notOpen(event.name, via);
}

/** What is told to a path that an event isn't open to. */
export function notOpen(event: string, via: Via): WakeshiftError {
  const path = via === "native" ? "a client of its own accord" : "subscribe_events";
  return new WakeshiftError(
    "not_open",
    `${event} is open to its app's own tools only, not to ${path}. Its author can open it with personal, authorize or public.`,
  );
}
