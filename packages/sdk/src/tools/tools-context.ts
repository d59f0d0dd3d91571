import { isRecord } from "@wakeshift/protocol";
import type { InitializedClient } from "../call/native-client.ts";
import type { AuthInfo, RequestContext } from "../request-context.ts";
import { authInfoOf, metaOf, signalOf } from "../request-context.ts";

/** The headers of an HTTP request: a plain object, whatever the case of its names, or a web `Headers`. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | WebHeaders;

/** A web `Headers`, as far as it is read. */
export interface WebHeaders {
  forEach(each: (value: string, name: string) => void): void;
}

/** What a runtime of your own knows of one request. Every field is optional, and only `authInfo` gives access to anything. */
export interface ToolsContext {
  /** The request's `_meta`: tells which agent program calls, and by which protocol. @defaultValue `_meta` of the call's params */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The HTTP request's headers: tell the same where `_meta` doesn't. */
  readonly headers?: RequestHeaders | undefined;
  /** What the client called itself in `initialize`, if your runtime keeps that. */
  readonly clientInfo?: { readonly name: string } | undefined;
  /** The token your runtime has verified; `identify` reads it. Wakeshift doesn't check it. */
  readonly authInfo?: AuthInfo | undefined;
  /**
   * Aborted when the client cancels: ends what the call subscribed. `wake.currentCall(signal)` finds the call by it, if each request
   * has a signal of its own.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What a framework hands a tool beside its arguments, as far as Wakeshift reads it. xmcp's `extra` fits. */
export interface ToolExtra extends RequestContext {
  readonly clientInfo?: { readonly name?: string | undefined } | undefined;
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const VERSION_HEADER = "mcp-protocol-version";
/** From here on each request tells its client, and each result its type. */
const MODERN = "2026-07-28";

/** The same request as the handlers of an MCP SDK would be told of it. */
export function toRequestContext(context: ToolsContext, params?: unknown): RequestContext {
  const { authInfo, signal } = context;
  const meta = isRecord(context.meta) ? context.meta : metaIn(params);
  const headers = readHeaders(context.headers);
  return {
    _meta: meta,
    requestInfo: { headers },
    ...(authInfo === undefined ? {} : { authInfo }),
    ...(signal === undefined ? {} : { signal }),
    ...(isModernVersion(meta[VERSION_KEY] ?? headers[VERSION_HEADER]) ? { mcpReq: { envelope: {} } } : {}),
  };
}

/** What a framework hands a tool, as `identify` gets it. */
export function toToolsContext(extra: ToolExtra): ToolsContext {
  return {
    meta: metaOf(extra),
    headers: extra.requestInfo?.headers ?? (extra.http?.req?.headers as WebHeaders | undefined),
    clientInfo: typeof extra.clientInfo?.name === "string" ? { ...extra.clientInfo, name: extra.clientInfo.name } : undefined,
    authInfo: authInfoOf(extra),
    signal: signalOf(extra),
  };
}

export function initializedClientIn(clientInfo: unknown): InitializedClient {
  const name: unknown = isRecord(clientInfo) ? clientInfo["name"] : undefined;
  return { name: typeof name === "string" ? name : undefined, capabilities: undefined };
}

function metaIn(params: unknown): Readonly<Record<string, unknown>> {
  const meta: unknown = isRecord(params) ? params["_meta"] : undefined;
  return isRecord(meta) ? meta : {};
}

/** By lower-case names, as Node has them. */
function readHeaders(headers: RequestHeaders | undefined): Readonly<Record<string, string | readonly string[] | undefined>> {
  if (!isRecord(headers)) return {};
  const entries: [string, string | readonly string[] | undefined][] = [];
  if (isWebHeaders(headers)) headers.forEach((value, name) => entries.push([name, value]));
  else entries.push(...Object.entries(headers));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

function isWebHeaders(headers: object): headers is WebHeaders {
  return typeof (headers as { readonly forEach?: unknown }).forEach === "function";
}

function isModernVersion(version: unknown): boolean {
  return typeof version === "string" && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= MODERN;
}
