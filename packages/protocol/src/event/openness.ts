import type { Access, Via } from "../app-api.ts";

/** The author's tools always may. Other paths only if the event declares one, or was published without the access rule (`undefined`). */
export function mayBeUsedBy(access: readonly Access[] | undefined, via: Via): boolean {
  return via === "tool" || access === undefined || access.length > 0;
}

/** By which path a subscription comes. The built-in tool can't pass for the author's, whatever the SDK says. */
export function viaOf(via: Via | undefined, tool: string | undefined): Via {
  return tool === "subscribe_events" ? "subscribe_events" : (via ?? "tool");
}
