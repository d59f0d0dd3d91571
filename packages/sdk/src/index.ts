// For users: the app, its events, and what its tools do with a call.
export { Wakeshift } from "./wakeshift.ts";
export type { EndOptions } from "./wakeshift.ts";
export type { WakeshiftOptions } from "./wakeshift-options.ts";
export type { AnyEvent, ArgumentsOf, EmitOptions, Emitted, EventOptions, Subscriber, WakeEvent } from "./event/event.ts";
export type { Call, SubscribeOptions, Subscription, UnavailableReason } from "./call/call.ts";
export type { AuthInfo } from "./request-context.ts";
export type { Identity } from "./call/call-facts.ts";
export type { SubscribedNotice, UnsubscribedNotice } from "./call/subscription-hooks.ts";
export type { Attached } from "./attach/attach.ts";
export type { AttachOptions } from "./serve/attach-options.ts";
export type { ToolHandler, ToolOptions, ToolResult } from "./attach/register-tool.ts";
export type { Wrap } from "./serve/wrap.ts";
export type { LogEntry, Logger, LogLevel } from "./log/logger.ts";
export { WakeshiftError } from "@wakeshift/protocol";
export type { ErrorCode } from "@wakeshift/protocol";

// For integrators: the shapes everything is told by, without a type of any MCP SDK or schema library.
export { emitNamed } from "./emit-named.ts";
export type { CoreFetch, CoreRequest } from "./client/fetch.ts";
export type { RequestContext } from "./request-context.ts";
export type { ServerLike } from "./attach/server-like.ts";
export type { InputOf, JsonSchema, OutputOf, Schema, StandardSchema } from "./schema/schema.ts";
