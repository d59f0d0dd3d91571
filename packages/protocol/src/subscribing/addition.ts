import type { Addition } from "../app-api.ts";
import { cleanText } from "../frame/clean-text.ts";
import { cutToBytes } from "../frame/cut-to-bytes.ts";
import { SUBSCRIPTION_META_KEY } from "../result-meta.ts";
import type { SubscriptionMetaEntry } from "../result-meta.ts";

/** What a tool's result is told about the subscription its call made or renewed. */
export interface AdditionFacts {
  readonly created: boolean;
  /** The core's public URL. */
  readonly core: string;
  readonly coreId: string;
  readonly app: { readonly id: string; readonly name: string };
  readonly id: string;
  readonly event: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly once: boolean;
  /** Wall clock, milliseconds. */
  readonly expiresAt: number;
  readonly tool: string;
  readonly ticket: string;
  readonly sessionKey: string;
}

const ARGUMENTS_BYTES = 200;
const HOWTO = "Nothing is left to do or wait for: finish your turn, and the occurrence starts a new one in this conversation.";

/** The block in its three forms. The ticket stands in `meta` only; the text is at most 900 characters of plain sentences. */
export function additionOf(facts: AdditionFacts): Addition {
  const expiresAt = new Date(facts.expiresAt).toISOString();
  const { id, event, once, core, coreId, app, tool, ticket } = facts;
  const entry: SubscriptionMetaEntry = { v: 1, core, coreId, ticket, id, event, arguments: facts.arguments, once, expiresAt, tool, app };
  return {
    text: textOf(facts, expiresAt),
    structured: {
      state: "subscribed",
      id,
      event,
      arguments: facts.arguments,
      once,
      expiresAt,
      session_key: facts.sessionKey,
      howto: HOWTO,
    },
    meta: { [SUBSCRIPTION_META_KEY]: [entry] },
  };
}

function textOf(facts: AdditionFacts, expiresAt: string): string {
  const args = cutToBytes(cleanText(JSON.stringify(facts.arguments)), ARGUMENTS_BYTES);
  const what = args === "{}" ? facts.event : `${facts.event} with ${args}`;
  const end = `${facts.once ? "until its first occurrence, at the latest until" : "until"} ${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  return [
    `Wakeshift: this conversation is ${facts.created ? "now" : "still"} subscribed to ${what}, ${end} (subscription ${facts.id}).`,
    "Each occurrence arrives here as a message that begins with [Wakeshift].",
    HOWTO,
    `The session key of this conversation with this server is ${facts.sessionKey}. It is a secret: pass it as session_key to this server's tools to list, renew or end subscriptions, and show it nowhere else.`,
  ].join(" ");
}
