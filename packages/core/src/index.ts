// For users: run a core inside another program.
export { startCore } from "./core.ts";
export type { RunningCore } from "./core.ts";
export type { CoreOptions } from "./core-options.ts";
export { readConfig } from "./config.ts";
export type { Environment } from "./config.ts";
export type { LogDestination, LogLevel } from "./logger.ts";
export type { EmitRate } from "./engine/event/emit-rate.ts";

// For commands: apps and keys, also beside a core that runs.
export { createApp, createKey } from "./provision.ts";
export type { CreatedKey, ProvisionParts } from "./provision.ts";
export { openSqliteApps } from "./store/sqlite/open-sqlite-apps.ts";
export type { AppStore } from "./store/sqlite/open-sqlite-apps.ts";

// For integrators: another store behind the same core.
export type {
  AckResult,
  AppRecord,
  ClaimedWake,
  ClaimResult,
  ConversationRecord,
  EmitInput,
  EmitResult,
  EndFilter,
  EventRecord,
  Hash,
  Instant,
  KeyRecord,
  Store,
  StoreClock,
  StoreListener,
  SubscribeInput,
  SubscribeResult,
  SubscriptionRecord,
  TicketResolution,
} from "./engine/store.ts";
