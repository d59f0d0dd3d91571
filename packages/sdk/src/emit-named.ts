import type { EmitRequest } from "@wakeshift/protocol";
import { createAppClient } from "./client/app-client.ts";
import { identityOrFault } from "./client/app-identity.ts";
import { readEmitAnswer } from "./event/emit-answer.ts";
import type { Emitted } from "./event/event.ts";
import { plainJson } from "./schema/plain-value.ts";
import { resolveWakeshiftOptions } from "./wakeshift-options.ts";
import type { WakeshiftOptions } from "./wakeshift-options.ts";

/**
 * Emits one occurrence of an event that another process of the same app published: for commands and scripts, which must
 * not publish definitions of their own. The core checks arguments and payload against the published schemas.
 *
 * @throws WakeshiftError `no_key`, `unauthorized`, `unknown_event`, `bad_arguments`, `bad_payload`, `to_required`,
 * `to_refused`, `unreachable`, or what else the core answered
 */
export async function emitNamed(request: EmitRequest, options: WakeshiftOptions = {}): Promise<Emitted> {
  const { key, core, timeoutMs, fetch } = resolveWakeshiftOptions(options, process.env);
  const monotonic = (): number => performance.now();
  const client = createAppClient({ core, identity: identityOrFault(key, core, Date.now), monotonic, fetch });
  const { name, arguments: args, payload } = request;
  // What is left out is the core's to refuse, in its words.
  const body = {
    ...request,
    ...(args === undefined ? {} : { arguments: plainJson(args, "bad_arguments", `The arguments of ${name}`) }),
    ...(payload === undefined ? {} : { payload: plainJson(payload, "bad_payload", `The payload of ${name}`) }),
  };
  return readEmitAnswer(await client.send("POST", "/events/emit", body, monotonic() + timeoutMs));
}
