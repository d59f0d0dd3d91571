import type { CallFacts } from "@wakeshift/protocol";
import { recognize } from "@wakeshift/protocol";
import type { InitializedClient } from "./native-client.ts";
import type { RequestContext } from "./request-context.ts";
import { metaOf, userAgentOf } from "./request-context.ts";

/** Who `identify` says is calling. */
export interface Identity {
  /** From a credential your server verified. A string that isn't blank; anything else is no user. */
  readonly user?: string | undefined;
  /** The client's name, for a client whose requests don't tell it. */
  readonly client?: string | undefined;
}

/** What the model passed in Wakeshift's own arguments. */
export type TakenArguments = Readonly<Partial<Record<"session_key" | "harness" | "conversation_id", string>>>;

/** The keys of a request's `_meta` that tell which program and conversation calls. Nothing else leaves the author's server. */
const READ_KEYS: readonly string[] = [
  "io.modelcontextprotocol/clientInfo",
  "io.modelcontextprotocol/clientCapabilities",
  "threadId",
  "sessionId",
  "claudecode/toolUseId",
  "vscode.conversationId",
];
const CODEX_TURN = "x-codex-turn-metadata";
const CODEX_TURN_KEYS: readonly string[] = ["thread_id", "session_id", "turn_trigger", "thread_source"];

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
  const meta = readMeta(metaOf(seen.context));
  const userAgent = userAgentOf(seen.context);
  return {
    client: clientNameOf(seen, identity, meta, userAgent),
    tool: seen.tool,
    ...(identity.user === undefined ? {} : { user: identity.user }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
    ...(userAgent === undefined ? {} : { user_agent: userAgent }),
    ...(seen.taken.harness === undefined ? {} : { harness: seen.taken.harness }),
    ...(seen.taken.conversation_id === undefined ? {} : { conversation: seen.taken.conversation_id }),
  };
}

function clientNameOf(seen: SeenCall, identity: Identity, meta: Readonly<Record<string, unknown>>, userAgent: string | undefined): string {
  const info = meta["io.modelcontextprotocol/clientInfo"];
  const told = typeof info === "object" && info !== null ? (info as { readonly name?: unknown }).name : undefined;
  const metaClientName = typeof told === "string" ? told : undefined;
  const { by } = recognize({ initializeName: seen.initialized.name, metaClientName, meta, userAgent, identifiedClient: identity.client });
  if (by === "identify") return identity.client ?? "";
  return seen.initialized.name ?? metaClientName ?? "";
}

function readMeta(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const turn = meta[CODEX_TURN];
  return {
    ...pick(meta, READ_KEYS),
    // The rest of it tells about the user's folders.
    ...(typeof turn === "object" && turn !== null
      ? { [CODEX_TURN]: pick(turn as Readonly<Record<string, unknown>>, CODEX_TURN_KEYS) }
      : {}),
  };
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}
