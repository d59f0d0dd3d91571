// For users: what an author or operator meets.
export { WakeshiftError, ERROR_TABLE, isErrorCode } from "./errors.ts";
export type { ErrorCode, WakeshiftErrorOptions } from "./errors.ts";
export { LIMITS } from "./limits.ts";
export { PROGRAMS } from "./programs.ts";
export type { ProgramName } from "./programs.ts";

// For integrators: the wire.
export type * from "./app-api.ts";
export type * from "./wake-api.ts";
export { SUBSCRIPTION_META_KEY } from "./result-meta.ts";
export type { SubscriptionMetaEntry } from "./result-meta.ts";
