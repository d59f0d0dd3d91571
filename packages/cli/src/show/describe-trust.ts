import type { TrustAnswer } from "@wakeshift/bridge";
import { cleanLine } from "@wakeshift/protocol";

/** Whom an answer of `allow` or `deny` is about. */
export function subjectOf({ origin, app }: TrustAnswer): string {
  return app === undefined ? origin : cleanLine(`${app.name} (${app.id}) of ${origin}`);
}

/** How many subscriptions it concerns. */
export function countOf({ subscriptions }: TrustAnswer): string {
  return `${String(subscriptions)} ${subscriptions === 1 ? "subscription" : "subscriptions"}`;
}
