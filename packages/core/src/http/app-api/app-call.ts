import type { CoreContext } from "../request/send.ts";
import { sendJson } from "../request/send.ts";
import type { InputReader } from "../request/parse-input.ts";
import { readBody } from "../request/read-body.ts";
import type { KeyRecord } from "../../engine/store.ts";
import type { Authenticator } from "./authenticate.ts";

/** A call of the app API. Returns the response, for JSON. */
export type AppCall<Input> = (input: Input, key: KeyRecord) => Promise<object>;

/**
 * Makes the handler of one call: the assertion is checked while the body arrives, then used up, then the call runs, all of it
 * written in one commit.
 */
export function appCall<Input>(
  authenticator: Authenticator,
  read: InputReader<Input>,
  call: AppCall<Input>,
): (context: CoreContext) => Promise<Response> {
  return async (context) => {
    const { incoming } = context.env;
    const body = readBody(incoming);
    // Awaited below. Were the assertion refused first, nobody else would hear of a fault here.
    body.catch(() => undefined);
    const answer = await authenticator.during(async () => {
      const authenticated = await authenticator.check(incoming.headers.authorization);
      const text = await body;
      await authenticator.claim(authenticated);
      return call(read(text), authenticated.key);
    });
    return sendJson(context, JSON.stringify(answer));
  };
}
