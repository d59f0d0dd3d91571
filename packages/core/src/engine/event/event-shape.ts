import { canonicalJson, requiredNames } from "@wakeshift/protocol";
import type { EventRecord } from "../store.ts";
import { isPersonal } from "./event-arguments.ts";

/**
 * What an event's routes are made of, as text: whether it is personal, and which arguments it requires. A subscription that was made
 * with another shape is stranded: no emit matches it until the event has that shape again.
 */
export function shapeOf(event: EventRecord): string {
  return canonicalJson({ personal: isPersonal(event), required: [...requiredNames(event.argumentsSchema)].sort() });
}

/** Whether a publish closes an event that was open: to all but its app's own tools. */
export function closesEvent(before: Pick<EventRecord, "access">, after: Pick<EventRecord, "access">): boolean {
  return after.access?.length === 0 && before.access?.length !== 0;
}
