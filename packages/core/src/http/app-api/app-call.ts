import { createHash } from "node:crypto";
import { boundRequestText } from "@wakeshift/protocol";
import { assertMadeFor } from "../../engine/app/assertion.ts";
import type { CoreContext } from "../request/send.ts";
import { sendJson } from "../request/send.ts";
import type { InputReader } from "../request/parse-input.ts";
import { readBody } from "../request/read-body.ts";
import type { KeyRecord } from "../../engine/store.ts";
import type { Authenticator } from "./authenticate.ts";

/** A call of the app API. Returns the response, for JSON. */
export type AppCall<Input> = (input: Input, key: KeyRecord) => Promise<object>;

const API = "/api/apps/v1";

/** Whatever prefix a proxy left before it. */
function pathOf(path: string): string {
  return path.slice(path.lastIndexOf(API) + API.length);
}

function digestOf(method: string, path: string, body: string): string {
  return createHash("sha256")
    .update(boundRequestText(method, path, body))
    .digest("base64url");
}

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
      if (authenticated.request !== undefined)
        assertMadeFor(digestOf(incoming.method ?? "", pathOf(context.req.path), text), authenticated);
      await authenticator.claim(authenticated);
      return call(read(text), authenticated.key);
    });
    return sendJson(context, JSON.stringify(answer));
  };
}
