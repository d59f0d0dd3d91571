import type { RequestContext } from "../request-context.ts";
import { runOutsideCalls } from "../call/call-store.ts";
import { carriesToolArguments, takeArguments } from "../amend/take-arguments.ts";
import type { TakenApart } from "../amend/take-arguments.ts";
import type { ToolFacts } from "../amend/tool-facts.ts";
import type { Attachment } from "./attachment.ts";
import { isBuiltInTool } from "./built-in-tools.ts";
import type { BuiltInTool } from "./built-in-tools.ts";
import { callBuiltIn } from "./call-built-in.ts";
import { runWrapped } from "./run-wrapped.ts";
import type { SeamHandler, SeamRequest } from "./seam-handler.ts";
import { tellConflict, tellUnwrapped } from "./tell-unwrapped.ts";

const NONE: ReadonlySet<string> = new Set();

/**
 * What happens around every call of a tool: Wakeshift's arguments are taken out, a tool that subscribes runs as a call, and its
 * result says what was subscribed, or what it subscribed is ended.
 */
export function wrapCallTool(attachment: Attachment, list: () => SeamHandler | undefined): (inner: SeamHandler) => SeamHandler {
  return (inner) => (request, context) => {
    const name = request.params?.["name"];
    if (typeof name !== "string") return inner(request, context);
    if (isBuiltInTool(name)) return callNamedAsBuiltIn(attachment, name, { request, context, inner, list: list() });
    return callTool(attachment, { name, events: eventsOf(attachment, name) }, { request, context, inner, list: list() });
  };
}

/** One `tools/call`, its handler, and how the author's list is asked. */
interface SeenRequest {
  readonly request: SeamRequest;
  readonly context: RequestContext;
  readonly inner: SeamHandler;
  readonly list: SeamHandler | undefined;
}

async function callNamedAsBuiltIn(attachment: Attachment, name: BuiltInTool, seen: SeenRequest): Promise<unknown> {
  if (!(await isAuthors(attachment, name, seen))) return callBuiltIn(attachment, name, seen.request, seen.context);
  return callTool(attachment, { name, events: eventsOf(attachment, name) }, seen);
}

interface NamedTool {
  readonly name: string;
  /** `undefined`: it isn't wrapped. */
  readonly events: ReadonlySet<string> | undefined;
}

/** Puts nothing, not even a promise, between a tool that is nobody's concern and its handler: most calls are of those. */
function callTool(attachment: Attachment, tool: NamedTool, seen: SeenRequest): unknown {
  // Asking the list may cost the author an upstream request: only where a name may be the tool's own.
  if (carriesToolArguments(seen.request.params?.["arguments"])) return callCarrying(attachment, tool, seen);
  return callKnown(attachment, tool, seen, tool.events === undefined ? undefined : attachment.catalog.known(tool.name));
}

async function callCarrying(attachment: Attachment, tool: NamedTool, seen: SeenRequest): Promise<unknown> {
  const facts = await attachment.catalog.find(tool.name, seen.list, seen.context);
  // Asked once: a list that can't be had isn't waited for again in the same call.
  return callKnown(attachment, tool, { ...seen, list: undefined }, facts);
}

function callKnown(attachment: Attachment, { name, events }: NamedTool, seen: SeenRequest, facts: ToolFacts | undefined): unknown {
  const { context, inner, list } = seen;
  const { request, taken } = takeApart(seen.request, facts);
  // A server made for one request may never be asked for its list in this process.
  if (events !== undefined && facts?.conflict !== undefined) tellConflict(attachment, name, facts.conflict);
  if (events === undefined || facts?.conflict !== undefined) return runOutsideCalls(attachment.owner, () => inner(request, context));
  return runWrapped(attachment, { name, events, taken, facts, list }, context, () => inner(request, context));
}

/** A `wrap` function that throws, or answers what is no event, must not fail a tool that would run without it. */
function eventsOf(attachment: Attachment, name: string): ReadonlySet<string> | undefined {
  try {
    return attachment.wrapped.eventsOf(name);
  } catch (error) {
    tellUnwrapped(attachment, name, error);
    return undefined;
  }
}

/** Whether a built-in tool's name is the author's own tool here. */
async function isAuthors(attachment: Attachment, name: string, { list, context }: SeenRequest): Promise<boolean> {
  const registered = attachment.registered(name);
  if (registered !== undefined) return registered !== false;
  return (await attachment.catalog.find(name, list, context)) !== undefined;
}

function takeApart(
  request: SeamRequest,
  facts: ToolFacts | undefined,
): { readonly request: SeamRequest; readonly taken: TakenApart["taken"] } {
  const args = request.params?.["arguments"];
  if (!carriesToolArguments(args)) return { request, taken: {} };
  const apart = takeArguments(args, facts?.declares ?? NONE);
  return { request: { ...request, params: { ...request.params, arguments: apart.args } }, taken: apart.taken };
}
