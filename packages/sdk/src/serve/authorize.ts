import { LIMITS } from "@wakeshift/protocol";
import { within } from "../time/within.ts";
import type { CheckedArguments } from "../event/checked-arguments.ts";
import type { Subscriber } from "../event/event.ts";
import type { Identity, SeenCall } from "../call/call-facts.ts";
import { callFactsOf } from "../call/call-facts.ts";
import { authInfoOf } from "../request-context.ts";
import { errorNameOf } from "../log/error-name.ts";
import type { LogBook } from "../log/log-book.ts";

/** Asks an event's `authorize`, where it has one. A throw, or more than 10 seconds, refuses and is logged by the error's type. */
export async function isAuthorized({ event, values }: CheckedArguments, subscriber: Subscriber, log: LogBook): Promise<boolean> {
  const { authorize } = event;
  if (authorize === undefined) return true;
  const late = (): never => {
    throw new DOMException("authorize took longer than 10 seconds", "TimeoutError");
  };
  try {
    // A copy: what it changes for its own look-up is not what the caller asked for.
    const asked = (async (): Promise<boolean> => authorize(subscriber, structuredClone(values)))();
    return (await within(asked, LIMITS.authorizeMs, late)) === true;
  } catch (error) {
    const type = errorNameOf(error);
    log.tell({
      level: "warn",
      code: "authorize_failed",
      event: event.name,
      error: type,
      message: `authorize of ${event.name} failed with ${type}, so the subscription is refused.`,
    });
    return false;
  }
}

/** Who asks, as an author's `authorize` is told. */
export function subscriberOf(seen: SeenCall, identity: Identity, native: boolean): Subscriber {
  const authInfo = authInfoOf(seen.context);
  return {
    client: callFactsOf(seen, identity).client,
    native,
    request: seen.context,
    ...(identity.user === undefined ? {} : { user: identity.user }),
    ...(authInfo === undefined ? {} : { authInfo }),
  };
}
