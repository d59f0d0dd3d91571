import type { EmitRequest } from "../app-api.ts";
import { WakeshiftError } from "../errors.ts";
import { assertPlainJson } from "../json/plain-json.ts";
import { LIMITS } from "../limits.ts";

/** As long as the user of a call may be: nobody subscribes as a longer one. */
const USER_CHARACTERS = 1_024;

/**
 * Whose routes an occurrence goes to: the users named for a personal event, one route without a user for any other.
 *
 * @throws WakeshiftError `to_required`, `to_refused`, `bad_request`
 */
export function emitRecipients(
  event: { readonly name: string; readonly personal: boolean },
  to: EmitRequest["to"],
): readonly (string | undefined)[] {
  const { name } = event;
  if (!event.personal) {
    if (to === undefined) return [undefined];
    throw new WakeshiftError(
      "to_refused",
      `${name} isn't personal, so it goes to everyone subscribed with these arguments; emit it without \`to\`.`,
    );
  }
  const named = to === undefined ? [] : typeof to === "string" ? [to] : to;
  if (named.length === 0) throw new WakeshiftError("to_required", `${name} is personal; say in \`to\` whose it is.`);
  if (named.length > LIMITS.emitRecipients) {
    throw new WakeshiftError("bad_request", `to names ${named.length} users; at most ${LIMITS.emitRecipients} fit into one emit.`);
  }
  assertPlainJson(named, "bad_request", "to");
  if (named.some((user) => user.trim() === ""))
    throw new WakeshiftError("to_required", `${name} is personal, and an empty \`to\` is nobody.`);
  const long = named.findIndex((user) => user.length > USER_CHARACTERS);
  if (long >= 0) throw new WakeshiftError("bad_request", `to[${long}] has more than ${USER_CHARACTERS} characters, which no user has.`);
  return [...new Set(named)];
}
