import type { Addition } from "../app-api.ts";
import { isProgramName } from "../agent/agent-id.ts";
import { cleanText } from "../frame/clean-text.ts";
import { cutToBytes } from "../frame/cut-to-bytes.ts";
import { WAKEABLE_PROGRAMS } from "../programs.ts";
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
  /** Id of the program that called, as it was recognized. */
  readonly program: string | undefined;
  readonly tool: string;
  readonly ticket: string;
  readonly sessionKey: string;
}

const ARGUMENTS_BYTES = 200;
const ARRIVES = "Each occurrence arrives here as a message that begins with [Wakeshift].";
const FINISH = "Nothing is left to do or wait for: finish your turn, and the occurrence starts a new one in this conversation.";
const ASK_FOR_IT = "To receive one, call wait_for_events if this server has that tool. If it doesn't, tell your user.";

/** What becomes of an occurrence in this conversation, and what its model is to do. Promises nothing that no bridge can keep. */
function outlookOf(program: string | undefined): { readonly text: string; readonly howto: string } {
  if (WAKEABLE_PROGRAMS.some((each) => each === program)) return { text: `${ARRIVES} ${FINISH}`, howto: FINISH };
  const arrival =
    program !== undefined && isProgramName(program)
      ? `Wakeshift can't start a turn in ${program}, so no occurrence arrives here by itself.`
      : "Wakeshift doesn't know this program, so an occurrence may not arrive here by itself.";
  const howto = `${arrival} ${ASK_FOR_IT}`;
  return { text: howto, howto };
}

/** The block in its three forms. The ticket stands in `meta` only; the text is at most 900 characters of plain sentences. */
export function additionOf(facts: AdditionFacts): Addition {
  const expiresAt = new Date(facts.expiresAt).toISOString();
  const { id, event, once, core, coreId, app, tool, ticket } = facts;
  const entry: SubscriptionMetaEntry = { v: 1, core, coreId, ticket, id, event, arguments: facts.arguments, once, expiresAt, tool, app };
  const outlook = outlookOf(facts.program);
  return {
    text: textOf(facts, expiresAt, outlook.text),
    structured: {
      state: "subscribed",
      id,
      event,
      arguments: facts.arguments,
      once,
      expiresAt,
      session_key: facts.sessionKey,
      howto: outlook.howto,
    },
    meta: { [SUBSCRIPTION_META_KEY]: [entry] },
  };
}

function textOf(facts: AdditionFacts, expiresAt: string, outlook: string): string {
  const args = cutToBytes(cleanText(JSON.stringify(facts.arguments)), ARGUMENTS_BYTES);
  const what = args === "{}" ? facts.event : `${facts.event} with ${args}`;
  const end = `${facts.once ? "until its first occurrence, at the latest until" : "until"} ${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  return [
    `Wakeshift: this conversation is ${facts.created ? "now" : "still"} subscribed to ${what}, ${end} (subscription ${facts.id}).`,
    outlook,
    `The session key of this conversation with this server is ${facts.sessionKey}. It is a secret: pass it as session_key to this server's tools to list, renew or end subscriptions, and show it nowhere else.`,
  ].join(" ");
}
