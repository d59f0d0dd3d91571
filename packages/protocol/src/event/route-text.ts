import { canonicalJson } from "../json/canonical-json.ts";

/** What an occurrence and its subscribers have in common. */
export interface RouteParts {
  /** App id. */
  readonly app: string;
  /** Event name. */
  readonly event: string;
  /** The required arguments. */
  readonly required: Readonly<Record<string, unknown>>;
  /** For personal events: whose. */
  readonly user?: string;
}

/**
 * The text whose SHA-256 is the route: canonical JSON of app, event, required arguments and, for a personal event, the user.
 *
 * @throws WakeshiftError `bad_request` where the arguments aren't plain JSON.
 */
export function routeText(parts: RouteParts): string {
  const common = ["route/1", parts.app, parts.event, parts.required];
  return canonicalJson(parts.user === undefined ? common : [...common, parts.user]);
}
