import { frameWake } from "@wakeshift/protocol";
import { calledAs } from "@wakeshift/programs/machine";
import type { OccurrenceAnswer } from "../local-api.ts";
import type { PendingWake } from "../state/pending-wakes.ts";

/** A framed wake and which of the pending ones stand in it. The others come with the next one. */
export interface ComposedWake {
  readonly text: string;
  readonly shown: readonly PendingWake[];
}

/** Makes one wake of all that is pending for a conversation, oldest first. Everything in it is data from outside. */
export function composeWake(wakes: readonly { readonly wake: PendingWake; readonly content: OccurrenceAnswer }[]): ComposedWake {
  const ordered = [...wakes].sort((one, other) => one.wake.receivedAt - other.wake.receivedAt);
  const framed = frameWake(
    ordered.map(({ wake, content }) => ({
      event: content.event,
      app: content.app,
      occurrence: content.occurrence,
      subscription: wake.subscriptions[0]?.id ?? content.subscription,
      text: content.text,
      payload: content.payload,
    })),
    { command: calledAs() },
  );
  return { text: framed.text, shown: ordered.slice(0, ordered.length - framed.counted).map(({ wake }) => wake) };
}
