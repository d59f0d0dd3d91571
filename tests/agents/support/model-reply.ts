/** How the scripted model answers one request: one JSON document, or server-sent events. */
export type ModelReply = { readonly json: unknown } | { readonly events: readonly { readonly event?: string; readonly data: unknown }[] };
