import { WakeshiftError } from "@wakeshift/protocol";
import type { AnyEvent } from "../event/event.ts";
import type { RequestContext } from "../request-context.ts";
import { ATTACH_OPTION_NAMES, assertAttachOptions } from "../serve/attach-options.ts";
import type { AttachOptions } from "../serve/attach-options.ts";
import type { Attachment } from "../serve/attachment.ts";
import { wrapCallTool } from "../serve/call-tool.ts";
import { Catalog } from "../serve/catalog.ts";
import { wrapListTools } from "../serve/list-tools.ts";
import { isOutputRefused } from "../serve/output-check.ts";
import type { SeamHandler } from "../serve/seam-handler.ts";
import type { Share } from "../serve/share.ts";
import { WrappedTools } from "../serve/wrap.ts";
import { registerTool } from "./register-tool.ts";
import type { ToolHandler, ToolInput, ToolOptions } from "./register-tool.ts";
import { assertAttachable, hasHandler, watchListChanges, wrapHandlers } from "./seam.ts";
import type { ContextOf, McpServerLike, RegisteredToolOf, ServerLike } from "./server-like.ts";
import { initializedClientOf, isMcpServer, lowLevelOf, registeredTool } from "./server-like.ts";

/** A server with Wakeshift attached. */
export interface Attached<S extends ServerLike> {
  /**
   * Registers a tool whose handler gets a `call` to subscribe with, on an `McpServer`. A low-level server has none to register:
   * name its tools in `wrap`.
   * @throws WakeshiftError `unsupported` on a low-level server
   */
  registerTool<const Declared extends readonly AnyEvent[] = readonly [], Input extends ToolInput | undefined = undefined>(
    name: string,
    options: ToolOptions<Input, Declared>,
    handler: ToolHandler<Input, ContextOf<S>, Declared[number]>,
  ): RegisteredToolOf<S>;
}

const MOST_CATALOGS = 1_000;

/** Attaches to a server of either MCP SDK line. Does no I/O. @throws WakeshiftError `already_attached`, `unsupported`, `bad_request` */
export function attach<S extends ServerLike>(share: Share, server: S, options: AttachOptions<ContextOf<S>>): Attached<S> {
  if (!isServerLike(server)) throw new WakeshiftError("bad_request", "attach takes an McpServer or a low-level Server of the MCP SDK.");
  const low = lowLevelOf(server);
  assertAttachable(low);
  assertAttachOptions(share, options, ATTACH_OPTION_NAMES, "wake.attach()");
  const wrapped = new WrappedTools({ wrap: options.wrap, lookup: (name) => registeredTool(server, name), declares: share.declares });
  // The last that can fail: whatever does leaves nothing behind.
  if (isMcpServer(server)) serveTools(server);
  wrapped.announce();
  let declared: unknown;
  const attachment: Attachment = {
    owner: share.owner,
    engine: share.engine,
    options: options as AttachOptions<RequestContext>,
    wrapped,
    catalog: catalogOf(share, low),
    events: share.events,
    initialized: () => ({ ...initializedClientOf(server), ...(declared === undefined ? {} : { capabilities: declared }) }),
    registered: (name) => registeredTool(server, name),
    // An McpServer has checked its results itself.
    refuses: isMcpServer(server) ? (): boolean => false : isOutputRefused,
  };
  let list: SeamHandler | undefined;
  const amendList = wrapListTools(attachment);
  wrapHandlers(low, {
    // Read as the client sent it: the MCP SDKs keep only the capabilities they know, and `events` isn't one of them.
    initialize: (inner) => (request, context) => {
      declared = request.params?.["capabilities"];
      return inner(request, context);
    },
    "tools/list": (inner) => {
      list = inner;
      return amendList(inner);
    },
    "tools/call": wrapCallTool(attachment, () => list),
  });
  watchListChanges(low, () => {
    attachment.catalog.forget();
  });
  return {
    registerTool: ((name: string, toolOptions: ToolOptions<unknown, readonly AnyEvent[]>, handler: ToolHandler<never, never, never>) =>
      registerTool({ attachment, server }, name, toolOptions, handler)) as Attached<S>["registerTool"],
  };
}

/**
 * An `McpServer` sets its tool handlers with its first tool; the built-in tools are served also where it has none.
 * @throws WakeshiftError `bad_request` where it is connected: what a client was told of it can't change any more
 */
function serveTools(server: McpServerLike): void {
  if (hasHandler(server.server, "tools/list")) return;
  const { setToolRequestHandlers } = server as { readonly setToolRequestHandlers?: () => void };
  try {
    setToolRequestHandlers?.call(server);
  } catch (cause) {
    throw new WakeshiftError(
      "bad_request",
      "This server has no tools and is connected already, so it can't be given Wakeshift's. Attach before server.connect().",
      { cause },
    );
  }
}

function isServerLike(server: unknown): server is ServerLike {
  if (typeof server !== "object" || server === null) return false;
  return typeof (lowLevelOf(server as ServerLike) as { readonly setRequestHandler?: unknown }).setRequestHandler === "function";
}

function catalogOf({ catalogs, engine }: Share, server: object): Catalog {
  const { _serverInfo: info } = server as { readonly _serverInfo?: { readonly name?: unknown; readonly version?: unknown } };
  const key = JSON.stringify([info?.name, info?.version]);
  const known = catalogs.get(key);
  if (known !== undefined) return known;
  if (catalogs.size >= MOST_CATALOGS) catalogs.clear();
  const catalog = new Catalog(engine.timeoutMs);
  catalogs.set(key, catalog);
  return catalog;
}
