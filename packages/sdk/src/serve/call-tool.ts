import type { RequestContext } from "../call/request-context.ts";
import { signalOf } from "../call/request-context.ts";
import { enterCall, runOutsideCalls } from "../call/call-store.ts";
import { LazyCall } from "../call/lazy-call.ts";
import { ToolCall } from "../call/tool-call.ts";
import { whenCanceled } from "../call/when-canceled.ts";
import { createCaller } from "../call/caller.ts";
import { amendResult } from "../amend/amend-result.ts";
import { judgeResult } from "../amend/judge-result.ts";
import { plainResult } from "../amend/plain-result.ts";
import { carriesToolArguments, takeArguments } from "../amend/take-arguments.ts";
import type { TakenApart } from "../amend/take-arguments.ts";
import type { ToolFacts } from "../amend/tool-facts.ts";
import { WakeshiftError } from "@wakeshift/protocol";
import type { Attachment } from "./attachment.ts";
import { isBuiltInTool } from "./built-in-tools.ts";
import type { BuiltInTool } from "./built-in-tools.ts";
import { callBuiltIn } from "./call-built-in.ts";
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

interface WrappedCall {
  readonly name: string;
  readonly events: ReadonlySet<string>;
  readonly taken: TakenApart["taken"];
  /** What was known of it when the call came. */
  readonly facts: ToolFacts | undefined;
  readonly list: SeamHandler | undefined;
}

async function runWrapped(attachment: Attachment, wrapped: WrappedCall, context: RequestContext, work: () => unknown): Promise<unknown> {
  const asked = new AskedCall(attachment, wrapped, context);
  const call = new LazyCall(() => asked.open());
  const scope = enterCall(attachment.owner, call, context, attachment.wrapped.entersItself(wrapped.name) ? "handler" : "request");
  try {
    let result: unknown;
    try {
      result = await scope.run(work);
    } finally {
      scope.leave();
    }
    if (call.made === undefined) {
      call.close();
      return result;
    }
    return await asked.finish(call.made, result);
  } catch (error) {
    await call.undo();
    throw error;
  } finally {
    // The host aborts the signal behind every finished answer, which is no cancel.
    asked.stopWatching();
  }
}

/** A call that was asked to subscribe: it ends what it subscribed when it is canceled, and tells its result what it did. */
class AskedCall {
  readonly #attachment: Attachment;
  readonly #wrapped: WrappedCall;
  readonly #context: RequestContext;
  #facts: Promise<ToolFacts | undefined> | undefined;
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(attachment: Attachment, wrapped: WrappedCall, context: RequestContext) {
    this.#attachment = attachment;
    this.#wrapped = wrapped;
    this.#context = context;
  }

  open(): ToolCall {
    const call = openCall(this.#attachment, this.#wrapped, this.#context, () => this.#askFacts());
    const signal = signalOf(this.#context);
    if (isAborted(signal)) void call.undo();
    else if (!this.#isOver) this.#stop = whenCanceled(signal, () => void call.undo());
    return call;
  }

  stopWatching(): void {
    this.#isOver = true;
    this.#stop?.();
  }

  async finish(call: ToolCall, result: unknown): Promise<unknown> {
    const signal = signalOf(this.#context);
    if (judgeResult(result) !== "final" || isAborted(signal)) {
      await call.undo();
      return result;
    }
    const additions = await call.settle();
    if (!call.subscribed) {
      call.close();
      return result;
    }
    const known = await this.#askFacts();
    const plain = plainResult(result as object);
    // Aborted while we waited, with no place for a ticket, or refused by the client once it gets it: then nothing may stay.
    if (isAborted(signal) || plain === undefined || this.#attachment.refuses(known, plain)) {
      await call.undo();
      return result;
    }
    call.close();
    return additions.length === 0 ? result : amendResult(plain, additions, known?.takesBlock ?? false);
  }

  #askFacts(): Promise<ToolFacts | undefined> {
    return (this.#facts ??= factsOf(this.#attachment, this.#wrapped, this.#context));
  }
}

/** A tool may be listed otherwise by now; this call's arguments and result are still those of then. */
function factsOf(attachment: Attachment, { name, facts, list }: WrappedCall, context: RequestContext): Promise<ToolFacts | undefined> {
  return facts === undefined ? attachment.catalog.find(name, list, context) : Promise.resolve(facts);
}

function openCall(
  attachment: Attachment,
  wrapped: WrappedCall,
  context: RequestContext,
  facts: () => Promise<ToolFacts | undefined>,
): ToolCall {
  const { options } = attachment;
  return new ToolCall({
    engine: attachment.engine,
    seen: { tool: wrapped.name, context, initialized: attachment.initialized(), taken: wrapped.taken },
    via: "tool",
    declared: wrapped.events,
    caller: createCaller(options.identify, context, attachment.engine.timeoutMs),
    requireUser: options.requireUser === true,
    hooks: options,
    assertWrapped: async () => {
      const conflict = (await facts())?.conflict;
      if (conflict === undefined) return;
      tellConflict(attachment, wrapped.name, conflict);
      throw new WakeshiftError(
        "no_call",
        `${wrapped.name} can't subscribe: its own schema names ${conflict}, which is Wakeshift's, so it isn't wrapped. Rename it.`,
      );
    },
  });
}

/** Whether a built-in tool's name is the author's own tool here. */
async function isAuthors(attachment: Attachment, name: string, { list, context }: SeenRequest): Promise<boolean> {
  const registered = attachment.registered(name);
  if (registered !== undefined) return registered !== false;
  return (await attachment.catalog.find(name, list, context)) !== undefined;
}

/** A function, since a signal changes between two looks and the compiler thinks it doesn't. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
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
