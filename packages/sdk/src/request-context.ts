/** A verified token, as the MCP SDKs hand it to a server's handlers. */
export interface AuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number | undefined;
  readonly resource?: URL | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * What a handler of either MCP SDK line gets beside the request, as far as Wakeshift reads it. 1.x calls it `extra`
 * and has the fields on top; 2.x calls it `ctx` and has them in `mcpReq` and `http`.
 */
export interface RequestContext {
  readonly signal?: AbortSignal;
  readonly authInfo?: AuthInfo;
  readonly requestInfo?: { readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> };
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly mcpReq?: {
    readonly signal?: AbortSignal;
    readonly _meta?: Readonly<Record<string, unknown>>;
    /** Protocol 2026-07-28: the reserved keys of `_meta`, lifted out. */
    readonly envelope?: Readonly<Record<string, unknown>>;
  };
  readonly http?: { readonly req?: { readonly headers: { get(name: string): string | null } }; readonly authInfo?: AuthInfo };
}

/** The one object of a request that every wrapper in between passes on unchanged. */
export function signalOf(context: unknown): AbortSignal | undefined {
  if (context instanceof AbortSignal) return context;
  if (typeof context !== "object" || context === null) return undefined;
  const { signal, mcpReq } = context as RequestContext;
  return signal ?? mcpReq?.signal;
}

/** The request's whole `_meta` as the client sent it. */
export function metaOf(context: RequestContext): Readonly<Record<string, unknown>> {
  return { ...context._meta, ...context.mcpReq?._meta, ...context.mcpReq?.envelope };
}

export function userAgentOf(context: RequestContext): string | undefined {
  const header = context.http?.req?.headers.get("user-agent") ?? context.requestInfo?.headers?.["user-agent"];
  return typeof header === "string" ? header : header?.[0];
}

export function authInfoOf(context: RequestContext): AuthInfo | undefined {
  return context.http?.authInfo ?? context.authInfo;
}

/** Whether the request came by protocol 2026-07-28, where every request tells its client. */
export function isModern(context: RequestContext): boolean {
  return context.mcpReq?.envelope !== undefined;
}
