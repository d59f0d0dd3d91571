import { WakeshiftError } from "@wakeshift/protocol";
import type { SeamHandler } from "../serve/seam-handler.ts";
import type { LowLevelServerLike } from "./server-like.ts";

/** For each method, what to put around the author's handler. */
export type SeamWrappers = Readonly<Record<string, (inner: SeamHandler) => SeamHandler>>;

const WRAPPED = Symbol.for("ai.wakeshift/wrapped/v1");
const ATTACHED = Symbol.for("ai.wakeshift/attached/v1");

/** Looks only. @throws WakeshiftError `already_attached`, `unsupported` */
export function assertAttachable(server: LowLevelServerLike): void {
  if (Object.hasOwn(server, ATTACHED))
    throw new WakeshiftError(
      "already_attached",
      "This server is attached already. Attach once to each server, with everything in one call.",
    );
  handlersOf(server);
}

/** Whether the author, or the MCP SDK, has set a handler for this method. */
export function hasHandler(server: LowLevelServerLike, method: string): boolean {
  return handlersOf(server).has(method);
}

function handlersOf(server: LowLevelServerLike): Map<string, unknown> {
  const handlers: unknown = (server as { readonly _requestHandlers?: unknown })._requestHandlers;
  if (handlers instanceof Map) return handlers as Map<string, unknown>;
  throw new WakeshiftError(
    "unsupported",
    "This server keeps its handlers in a way @wakeshift/sdk doesn't know. It attaches to the servers of @modelcontextprotocol/server 2.x and @modelcontextprotocol/sdk 1.x.",
  );
}

/**
 * Puts wrappers around the handlers an attachable server has, and around every one it is given later. This file is the one place
 * that knows the inside of the MCP SDKs: both lines keep their handlers in a map of the same name, and set them through one public
 * method.
 */
export function wrapHandlers(server: LowLevelServerLike, wrappers: SeamWrappers): void {
  const handlers = handlersOf(server);
  Object.defineProperty(server, ATTACHED, { value: true });

  function wrapAll(): void {
    for (const [method, wrap] of Object.entries(wrappers)) {
      const inner: unknown = handlers.get(method);
      if (typeof inner !== "function" || Object.hasOwn(inner, WRAPPED)) continue;
      const outer = wrap(inner as SeamHandler);
      Object.defineProperty(outer, WRAPPED, { value: true });
      handlers.set(method, outer);
    }
  }

  const set = server.setRequestHandler;
  server.setRequestHandler = function (this: unknown, ...args: unknown[]): unknown {
    const result: unknown = set.apply(server, args);
    wrapAll();
    return result;
  };
  wrapAll();
}

/** Calls `changed` when a connected server tells its client that its tools have changed. */
export function watchListChanges(server: LowLevelServerLike, changed: () => void): void {
  const watched = server as { sendToolListChanged?: (...args: unknown[]) => unknown; readonly transport?: unknown };
  const send = watched.sendToolListChanged;
  if (send === undefined) return;
  watched.sendToolListChanged = (...args): unknown => {
    changed();
    return send.apply(server, args);
  };
}
