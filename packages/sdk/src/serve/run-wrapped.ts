import { amendResult } from "../amend/amend-result.ts";
import { judgeResult } from "../amend/judge-result.ts";
import { plainResult } from "../amend/plain-result.ts";
import type { TakenApart } from "../amend/take-arguments.ts";
import type { ToolFacts } from "../amend/tool-facts.ts";
import { enterCall } from "../call/call-store.ts";
import { createCaller } from "../call/caller.ts";
import { LazyCall } from "../call/lazy-call.ts";
import type { RequestContext } from "../request-context.ts";
import { signalOf } from "../request-context.ts";
import { ToolCall } from "../call/tool-call.ts";
import { whenCanceled } from "../call/when-canceled.ts";
import { WakeshiftError } from "@wakeshift/protocol";
import type { Attachment } from "./attachment.ts";
import type { SeamHandler } from "./seam-handler.ts";
import { tellConflict } from "./tell-unwrapped.ts";

/** One call of a tool that may subscribe. */
export interface WrappedCall {
  readonly name: string;
  readonly events: ReadonlySet<string>;
  readonly taken: TakenApart["taken"];
  /** What was known of it when the call came. */
  readonly facts: ToolFacts | undefined;
  readonly list: SeamHandler | undefined;
}

/**
 * Runs a tool that may subscribe: what it subscribes is ended where it fails or is canceled, and told in its result else. Answers
 * and throws what the tool does.
 */
export async function runWrapped(
  attachment: Attachment,
  wrapped: WrappedCall,
  context: RequestContext,
  work: () => unknown,
): Promise<unknown> {
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
    if (this.#isOver) return call;
    const signal = signalOf(this.#context);
    if (isAborted(signal)) void call.undo();
    else this.#stop = whenCanceled(signal, () => void call.undo());
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

/** A function, since a signal changes between two looks and the compiler thinks it doesn't. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
