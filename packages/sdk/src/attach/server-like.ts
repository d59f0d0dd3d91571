import type { InitializedClient } from "../call/native-client.ts";
import type { RequestContext } from "../request-context.ts";

/* eslint-disable @typescript-eslint/no-explicit-any -- these shapes must take the classes of two libraries, in every version, without importing either */

/** A low-level `Server` of either MCP SDK line. */
export interface LowLevelServerLike {
  setRequestHandler: (...args: any[]) => any;
  registerCapabilities: (...args: any[]) => any;
  getClientVersion?: () => any;
  getClientCapabilities?: () => any;
}

/** An `McpServer` of either line: it keeps its low-level server in `server`. */
export interface McpServerLike {
  readonly server: LowLevelServerLike;
  registerTool: (...args: any[]) => any;
}

/** What can be attached to. Neither MCP SDK is imported; both lines fit. */
export type ServerLike = LowLevelServerLike | McpServerLike;

type LowLevelOf<S> = S extends { readonly server: infer L } ? L : S;

/** The context this server's handlers get: `extra` of 1.x, `ctx` of 2.x. */
export type ContextOf<S> =
  LowLevelOf<S> extends { fallbackRequestHandler?: infer F }
    ? NonNullable<F> extends (request: any, context: infer C) => any
      ? C
      : RequestContext
    : RequestContext;

/** What this server's `registerTool` returns. */
export type RegisteredToolOf<S> = S extends { registerTool: (...args: any[]) => infer R } ? R : never;

/** The server with the handlers: the given one, or the one an `McpServer` keeps. */
export function lowLevelOf(server: ServerLike): LowLevelServerLike {
  return isMcpServer(server) ? server.server : server;
}

export function isMcpServer(server: ServerLike): server is McpServerLike {
  const inner: unknown = (server as Partial<McpServerLike>).server;
  return typeof inner === "object" && inner !== null && typeof (server as Partial<McpServerLike>).registerTool === "function";
}

/** Whether the author's `McpServer` has this tool, by its own registry. `undefined`: there is none to look in. */
export function registeredTool(server: ServerLike, name: string): object | false | undefined {
  const registry: unknown = (server as { readonly _registeredTools?: unknown })._registeredTools;
  if (typeof registry !== "object" || registry === null) return undefined;
  if (!Object.hasOwn(registry, name)) return false;
  const tool: unknown = (registry as Readonly<Record<string, unknown>>)[name];
  return typeof tool === "object" && tool !== null && (tool as { readonly enabled?: unknown }).enabled !== false ? tool : false;
}

/** What the client told in `initialize`; gone on servers without sessions. */
export function initializedClientOf(server: ServerLike): InitializedClient {
  const low = lowLevelOf(server);
  const version: unknown = low.getClientVersion?.();
  const name: unknown = typeof version === "object" && version !== null ? (version as { readonly name?: unknown }).name : undefined;
  return { name: typeof name === "string" ? name : undefined, capabilities: low.getClientCapabilities?.() };
}
