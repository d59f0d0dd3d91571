import type { ListedSubscription } from "@wakeshift/protocol";
import { isRecord, WakeshiftError } from "@wakeshift/protocol";
import type { CallFacts } from "@wakeshift/protocol";
import { callFactsOf } from "../call/call-facts.ts";
import type { Identity, SeenCall } from "../call/call-facts.ts";
import { createCaller } from "../call/caller.ts";
import type { Caller } from "../call/caller.ts";
import { endOwn } from "../call/end-own.ts";
import type { RequestContext } from "../request-context.ts";
import { signalOf } from "../request-context.ts";
import { ToolCall } from "../call/tool-call.ts";
import { whenCanceled } from "../call/when-canceled.ts";
import type { CheckedArguments } from "../event/checked-arguments.ts";
import { checkArguments } from "../event/checked-arguments.ts";
import type { EventDefinition } from "../event/event-definition.ts";
import { amendResult } from "../amend/amend-result.ts";
import { errorNameOf } from "../log/error-name.ts";
import { takeArguments } from "../amend/take-arguments.ts";
import type { Attachment } from "./attachment.ts";
import { isAuthorized, subscriberOf } from "./authorize.ts";
import type { BuiltInTool } from "./built-in-tools.ts";
import { openEvents } from "./built-in-tools.ts";
import type { SeamRequest } from "./seam-handler.ts";

/** Codes of what an agent asked for wrongly: it reads the sentence, and the author has nothing to mend. */
const AGENTS_OWN: ReadonlySet<string> = new Set(["bad_request", "bad_arguments", "unknown_session"]);

/** One call of a built-in tool. */
interface BuiltInCall {
  readonly attachment: Attachment;
  readonly seen: SeenCall;
  readonly caller: Caller;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Answers a call of one of Wakeshift's own tools. What goes wrong is told to the agent as the result, in a sentence. */
export async function callBuiltIn(
  attachment: Attachment,
  name: BuiltInTool,
  request: SeamRequest,
  context: RequestContext,
): Promise<object> {
  const given = request.params?.["arguments"];
  const { args, taken } = takeArguments(isRecord(given) ? given : {}, new Set());
  const call: BuiltInCall = {
    attachment,
    seen: { tool: name, context, initialized: attachment.initialized(), taken },
    caller: createCaller(attachment.options.identify, context, attachment.engine.timeoutMs),
    args,
  };
  try {
    switch (name) {
      case "subscribe_events":
        return await subscribeEvents(call);
      case "unsubscribe_events":
        return await unsubscribeEvents(call);
      case "list_subscriptions":
        return await listSubscriptions(call);
    }
  } catch (error) {
    if (!WakeshiftError.isInstance(error)) throw error;
    return { ...text(error.message), isError: true };
  }
}

async function subscribeEvents(built: BuiltInCall): Promise<object> {
  const { attachment, args, seen, caller } = built;
  const open = openEvents(attachment.events());
  const event = open.find((each) => each.name === args["event"]);
  if (event === undefined) {
    throw new WakeshiftError(
      "not_open",
      `No event of that name can be subscribed to here. Open are: ${open.map((each) => each.name).join(", ") || "none"}.`,
    );
  }
  const checked = await checkArguments(event, args["arguments"] ?? {});
  const call = new ToolCall({
    engine: attachment.engine,
    seen,
    via: "subscribe_events",
    caller,
    hooks: attachment.options,
    assertWrapped: () => Promise.resolve(),
  });
  const signal = signalOf(seen.context);
  const stop = whenCanceled(signal, () => void call.undo());
  try {
    await assertMaySubscribe(built, checked);
    const { state, reason } = await call.subscribeTo(checked);
    if (state === "unavailable") return { ...text(unavailableSentence(event.name, reason)), isError: true };
    const additions = await call.settle();
    if (signal?.aborted === true) {
      await call.undo();
      return text("Canceled.");
    }
    call.close();
    return amendResult({ content: [] }, additions, false);
  } catch (error) {
    await call.undo();
    throw error;
  } finally {
    stop();
  }
}

/**
 * Refuses who may not subscribe. A caller whom `identify` could not tell is refused in the words that one without a user gets.
 * @throws WakeshiftError `user_required`, `not_open`, `identify_failed`
 */
async function assertMaySubscribe(built: BuiltInCall, checked: CheckedArguments): Promise<void> {
  const { attachment, seen } = built;
  const { event } = checked;
  const { log } = attachment.engine;
  const refused = refusalOf(event, attachment.options.requireUser === true);
  const identity = await identityOf(built, event).catch((error: unknown) => {
    throw refused ?? error;
  });
  if (refused?.code === "user_required" && identity.user === undefined) throw refused;
  if (!(await isAuthorized(checked, subscriberOf(seen, identity, false), log))) throw refusedByAuthorize(event);
}

/** Who calls. The author hears of an `identify` that can't tell: of these tools' errors, only the agent does. @throws as `caller` */
async function identityOf({ attachment, seen, caller }: BuiltInCall, event?: EventDefinition): Promise<Identity> {
  try {
    return await caller();
  } catch (error) {
    const type = errorNameOf(error instanceof Error ? error.cause : undefined);
    attachment.engine.log.tell({
      level: "warn",
      code: "identify_failed",
      tool: seen.tool,
      ...(event === undefined ? {} : { event: event.name }),
      error: type,
      message: `identify failed with ${type}, so ${seen.tool} did nothing.`,
    });
    throw error;
  }
}

/** What a caller without a user is told where that matters. */
function refusalOf(event: EventDefinition, requireUser: boolean): WakeshiftError | undefined {
  if (requireUser || event.access.includes("personal")) {
    return new WakeshiftError(
      "user_required",
      `Only callers who are signed in can subscribe to ${event.name}. Sign in, then call this again.`,
    );
  }
  return event.access.includes("authorize") ? refusedByAuthorize(event) : undefined;
}

function refusedByAuthorize(event: EventDefinition): WakeshiftError {
  return new WakeshiftError("not_open", `Subscribing to ${event.name} with these arguments was refused.`);
}

async function unsubscribeEvents(built: BuiltInCall): Promise<object> {
  const { engine, options } = built.attachment;
  const { id, event } = built.args;
  if (typeof id !== "string" && typeof event !== "string")
    throw new WakeshiftError("bad_request", "Say which subscription to end: its id, or the event.");
  const args = await argumentsToEnd(built);
  const facts = await factsOfOwner(built);
  const which = { id: typeof id === "string" ? id : undefined, event: typeof event === "string" ? event : undefined, args };
  const by = { engine, hooks: options, via: "subscribe_events" } as const;
  const asked = { request: "unsubscribe", tool: built.seen.tool } as const;
  const ended = await engine.failures.watch(asked, endOwn(by, facts, which, engine.monotonic() + engine.timeoutMs), AGENTS_OWN);
  return text(
    ended === 0
      ? `${ownerIn(facts)} has no such subscription.`
      : `Ended ${String(ended)} ${ended === 1 ? "subscription" : "subscriptions"}.`,
  );
}

/** Given as to `subscribe_events`, so taken by the schema as there. @throws WakeshiftError `bad_arguments`, `unknown_event` */
async function argumentsToEnd({ attachment, args }: BuiltInCall): Promise<CheckedArguments | undefined> {
  const { event: name, arguments: given } = args;
  if (given === undefined) return undefined;
  if (!isRecord(given)) throw new WakeshiftError("bad_arguments", "`arguments` must be an object.");
  const event = attachment.events().find((each) => each.name === name);
  if (event !== undefined) return checkArguments(event, given);
  throw new WakeshiftError(
    "unknown_event",
    "Arguments can only be read together with the name of an event that is defined here. Without it, end a subscription by its id alone.",
  );
}

async function listSubscriptions(built: BuiltInCall): Promise<object> {
  const { engine } = built.attachment;
  const facts = await factsOfOwner(built);
  const listing = engine.client.send("POST", "/event-subscriptions/list", { call: facts }, engine.monotonic() + engine.timeoutMs);
  const answer = await engine.failures.watch({ request: "list", tool: built.seen.tool }, listing, AGENTS_OWN);
  const { subscriptions } = answer;
  if (!Array.isArray(subscriptions)) throw new WakeshiftError("bad_response", "The core's list has no subscriptions in it.");
  const shown = (subscriptions as readonly ListedSubscription[]).map(({ id, event, arguments: args, once, expires_at: expiresAt }) => ({
    id,
    event,
    arguments: args,
    once,
    expires_at: expiresAt,
  }));
  if (shown.length === 0) return text(`${ownerIn(facts)} is subscribed to nothing in this app.`);
  return text(shown.map((each) => JSON.stringify(each)).join("\n"));
}

/**
 * Facts of a call that may list and end something: a conversation with its session key, or a signed-in user. Without a key, a caller
 * whom `identify` could not tell is refused in the words that one without a user gets.
 * @throws WakeshiftError `unknown_session`, `identify_failed`
 */
async function factsOfOwner(built: BuiltInCall): Promise<CallFacts> {
  const session = built.seen.taken.session_key;
  const identity = await identityOf(built).catch((error: unknown) => {
    throw session === undefined ? sessionNeeded() : error;
  });
  if (session === undefined && identity.user === undefined) throw sessionNeeded();
  return { ...callFactsOf(built.seen, identity), ...(session === undefined ? {} : { session }) };
}

function sessionNeeded(): WakeshiftError {
  return new WakeshiftError(
    "unknown_session",
    "Pass session_key: it is in the result of the tool call that subscribed this conversation. Without it, only a signed-in user's subscriptions can be found.",
  );
}

/** Who is subscribed, in a sentence for the agent. */
function ownerIn(facts: CallFacts): string {
  return facts.session === undefined ? "This user" : "This conversation";
}

function unavailableSentence(event: string, reason: string | undefined): string {
  switch (reason) {
    case "limit":
      return `This conversation has as many subscriptions as it may have. End one first (unsubscribe_events).`;
    default:
      return `Subscribing to ${event} isn't possible here${reason === undefined ? "" : ` (${reason})`}.`;
  }
}

function text(sentence: string): { readonly content: readonly object[] } {
  return { content: [{ type: "text", text: sentence }] };
}
