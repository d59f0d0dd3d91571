import type { CallFacts } from "@wakeshift/protocol";
import { callMetaOf, metaClientNameOf, recognize } from "@wakeshift/protocol";
import type { InitializedClient } from "./native-client.ts";
import type { RequestContext } from "../request-context.ts";
import { metaOf, userAgentOf } from "../request-context.ts";

/** Who `identify` says is calling. */
export interface Identity {
  /** From a credential your server verified. A string that isn't blank; anything else is no user. */
  readonly user?: string | undefined;
  /** The client's name, for a client whose requests don't tell it. */
  readonly client?: string | undefined;
}

/** What the model passed in Wakeshift's own arguments. */
export type TakenArguments = Readonly<Partial<Record<"session_key" | "harness" | "conversation_id", string>>>;

/** What the seam saw of one call. */
export interface SeenCall {
  readonly tool: string;
  readonly context: RequestContext;
  /** What `initialize` told, on servers with sessions. */
  readonly initialized: InitializedClient;
  readonly taken: TakenArguments;
}

/** Packs what a core is told of a call, beside the session key and the call id. */
export function callFactsOf(seen: SeenCall, identity: Identity): CallFacts {
  const meta = callMetaOf(metaOf(seen.context));
  const userAgent = userAgentOf(seen.context);
  return {
    ...clientNameOf(seen, identity, meta, userAgent),
    tool: seen.tool,
    ...(identity.user === undefined ? {} : { user: identity.user }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
    ...(userAgent === undefined ? {} : { user_agent: userAgent }),
    ...(seen.taken.harness === undefined ? {} : { harness: seen.taken.harness }),
    ...(seen.taken.conversation_id === undefined ? {} : { conversation: seen.taken.conversation_id }),
  };
}

/** The client's name, and which of the facts it is. What `identify` says counts only where nothing before it tells the program. */
function clientNameOf(
  seen: SeenCall,
  identity: Identity,
  meta: Readonly<Record<string, unknown>>,
  userAgent: string | undefined,
): Pick<CallFacts, "client" | "client_by"> {
  const initializeName = seen.initialized.name;
  const metaClientName = metaClientNameOf({ meta });
  const { by } = recognize({ initializeName, metaClientName, meta, userAgent, identifiedClient: identity.client });
  if (by === "identify") return { client: identity.client ?? "", client_by: "identify" };
  if (initializeName !== undefined) return { client: initializeName, client_by: "initialize" };
  return metaClientName === undefined ? { client: "" } : { client: metaClientName, client_by: "meta_client_info" };
}
