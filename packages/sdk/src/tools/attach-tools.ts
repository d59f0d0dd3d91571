import { WakeshiftError } from "@wakeshift/protocol";
import type { AnyEvent } from "../event/event.ts";
import type { ToolResult } from "../attach/register-tool.ts";
import type { RequestContext } from "../request-context.ts";
import { isModern } from "../request-context.ts";
import type { OptionNames } from "../options/assert-options.ts";
import { ATTACH_OPTION_NAMES, assertAttachOptions } from "../serve/attach-options.ts";
import type { AttachOptions } from "../serve/attach-options.ts";
import type { BuiltInTool, ListedBuiltIn } from "../serve/built-in-tools.ts";
import { wrapCallTool } from "../serve/call-tool.ts";
import { Catalog } from "../serve/catalog.ts";
import { wrapListTools } from "../serve/list-tools.ts";
import { isOutputRefused } from "../serve/output-check.ts";
import type { SeamHandler, SeamRequest } from "../serve/seam-handler.ts";
import { shareOf } from "../serve/share.ts";
import { WrappedTools } from "../serve/wrap.ts";
import type { Wakeshift } from "../wakeshift.ts";
import { defineBuiltIn, defineBuiltIns } from "./define-built-ins.ts";
import { defineTool } from "./define-tool.ts";
import type { Runtime } from "./runtime.ts";
import { attachmentFor } from "./runtime.ts";
import type { DefinedToolHandler, ToolDefinition, ToolDefinitionOptions } from "./tool-definition.ts";
import type { ToolExtra, ToolsContext } from "./tools-context.ts";
import { toRequestContext } from "./tools-context.ts";
import type { ZodShape } from "./zod-shape.ts";

/** Which page of a list that comes in pages is being amended: what the request and the page's answer say. */
export interface ListPage {
  readonly cursor?: unknown;
  readonly nextCursor?: unknown;
}

/** How Wakeshift is attached to tools that no MCP SDK's server serves. */
export interface AttachToolsOptions extends AttachOptions<ToolsContext> {
  /**
   * Your list as you pass it to `tools.list`, or the page of it at `cursor`. Asked only at a call, and only where the tool was never
   * listed in this process: if one of Wakeshift's names is among the arguments, if one of Wakeshift's own tools is called, and before
   * a first subscribe. One that throws, or answers later than `timeoutMs`, tells nothing and fails no call.
   */
  readonly catalog?: (context: ToolsContext, cursor: string | undefined) => CatalogAnswer | Promise<CatalogAnswer>;
}

type CatalogAnswer = readonly object[] | { readonly tools: readonly object[]; readonly nextCursor?: string | undefined };

/** Wakeshift attached to tools that no MCP SDK's server serves. */
export interface AttachedTools {
  /**
   * The catalog with the tools in `wrap` amended, and Wakeshift's own tools at its end. Does no I/O, and leaves the given objects
   * as they are. Of a catalog that comes in pages give the `page`: Wakeshift's tools stand on the last one.
   * @throws WakeshiftError `bad_request` where `catalog` is no list
   */
  list<Tool>(catalog: readonly Tool[], context?: ToolsContext, page?: ListPage): Promise<(Tool | ListedBuiltIn)[]>;
  /**
   * Answers one `tools/call`: a call of Wakeshift's own tools itself, every other by `dispatch`, which gets the params without
   * Wakeshift's arguments. What `dispatch` throws comes out unchanged, once what the call subscribed is ended.
   */
  call<Params, Result>(
    params: Params,
    context: ToolsContext | undefined,
    dispatch: (params: Params) => Result,
  ): Promise<Awaited<Result> | ToolResult>;
  /** Defines a tool for a framework that takes definitions. @throws WakeshiftError `bad_request` where `subscribes` names no event */
  tool<
    Input extends ZodShape = Readonly<Record<never, never>>,
    const Declared extends readonly AnyEvent[] = readonly [],
    Context = ToolExtra,
  >(
    name: string,
    options: ToolDefinitionOptions<Input, Declared>,
    handler: DefinedToolHandler<Input, Context, Declared[number]>,
  ): ToolDefinition<Input>;
  /** Wakeshift's own tools as definitions, for such a framework; with a name, that one. @throws WakeshiftError `bad_request` */
  builtins(): readonly ToolDefinition[];
  builtins(name: BuiltInTool): ToolDefinition;
}

const OPTION_NAMES: OptionNames<AttachToolsOptions> = { ...ATTACH_OPTION_NAMES, catalog: true };

/**
 * Attaches to tools that a runtime of your own, a proxy, or a framework lists and calls. Attach once, after your events. Does no I/O.
 * This way serves no MCP Events: clients that only subscribe by those can't subscribe here.
 * @throws WakeshiftError `bad_request`
 */
export function attachTools(wake: Wakeshift, given: AttachToolsOptions = {}): AttachedTools {
  const share = shareOf(wake);
  assertAttachOptions(share, given, OPTION_NAMES, "attachTools()");
  const { catalog: catalogOf, ...options } = given;
  if (catalogOf !== undefined && typeof catalogOf !== "function")
    throw new WakeshiftError("bad_request", "catalog of attachTools() must be a function that returns your list of tools.");
  const wrapped = new WrappedTools({ wrap: options.wrap, lookup: () => undefined, declares: share.declares });
  wrapped.announce();
  const runtime: Runtime = {
    owner: share.owner,
    engine: share.engine,
    options,
    wrapped,
    catalog: new Catalog(share.engine.timeoutMs),
    events: share.events,
    declares: share.declares,
    registered: () => undefined,
    refuses: isOutputRefused,
  };
  return {
    async list(catalog, about, page = {}) {
      const context = about ?? {};
      if (!Array.isArray(catalog))
        throw new WakeshiftError("bad_request", "tools.list takes the list of your tools, as tools/list answers it.");
      const amend = wrapListTools(attachmentFor(runtime, context))(() => ({ tools: catalog, nextCursor: page.nextCursor }));
      const params = page.cursor === undefined ? {} : { cursor: page.cursor };
      const { tools } = (await amend({ method: "tools/list", params }, toRequestContext(context))) as { readonly tools: never };
      return tools;
    },
    async call(params, about, dispatch) {
      const context = about ?? {};
      const request = toRequestContext(context, params);
      const list = catalogOf === undefined ? undefined : listBy(catalogOf, context);
      const call = wrapCallTool(attachmentFor(runtime, context), () => list)(({ params: stripped }) => dispatch(stripped as typeof params));
      return complete((await call({ method: "tools/call", params: params as SeamRequest["params"] }, request)) as never, request);
    },
    tool: ((
      name: string,
      toolOptions: ToolDefinitionOptions<ZodShape, readonly AnyEvent[]>,
      handler: DefinedToolHandler<never, never, never>,
    ) => defineTool(runtime, { name, options: toolOptions, handler })) as AttachedTools["tool"],
    builtins: ((name?: BuiltInTool) =>
      name === undefined ? defineBuiltIns(runtime) : defineBuiltIn(runtime, name)) as AttachedTools["builtins"],
  };
}

/** The author's list, asked as a server's list handler is. */
function listBy(catalog: NonNullable<AttachToolsOptions["catalog"]>, context: ToolsContext): SeamHandler {
  return async ({ params }) => {
    const answer = await catalog(context, params?.["cursor"] as string | undefined);
    return Array.isArray(answer) ? { tools: answer } : answer;
  };
}

/** Official clients of protocol 2026-07-28 refuse a result that doesn't say its type. */
function complete<Result>(result: Result, request: RequestContext): Result {
  if (!isModern(request) || typeof result !== "object" || result === null) return result;
  return (result as { readonly resultType?: unknown }).resultType === undefined ? { ...result, resultType: "complete" } : result;
}
