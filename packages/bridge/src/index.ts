// For the commands: what `wakeshift` asks of the bridge, as data.
export {
  allowOrigin,
  changeSetting,
  denyOrigin,
  endSubscription,
  ensureBridge,
  isAnythingSubscribed,
  keptSubscriptions,
  lastBridgeFault,
  lastHookRun,
  lastWake,
  listLocalCores,
  listSubscriptions,
  readStatus,
  showOccurrence,
  startBridge,
  stopBridge,
} from "./client/commands.ts";
export type { KeptSubscription } from "./client/commands.ts";
export { runBridge } from "./run-bridge.ts";
export { runHook } from "./hook/run-hook.ts";
export type { HookSurroundings } from "./hook/run-hook.ts";
export { commandRunner } from "./command-runner.ts";
export { registerLocalCore } from "./trust/local-cores.ts";
export { bridgeHome } from "./home.ts";
export type { BridgeHome } from "./home.ts";
export type { HookRun } from "./state/hook-runs.ts";

// For integrators: what the local API says.
export type { AttachLine, AttachRequest } from "./attach-protocol.ts";
export type { SupervisorEnd } from "./daemon/supervisor.ts";
export type {
  ConversationStatus,
  CoreStatus,
  EndAnswer,
  EndRequest,
  LastWake,
  ListedTicket,
  OccurrenceAnswer,
  OutcomeAnswer,
  OutcomeRequest,
  PendingStatus,
  RefusedTool,
  ReportAnswer,
  ReportRequest,
  SetRequest,
  SettingsAnswer,
  StatusAnswer,
  StopAnswer,
  SubscriptionsAnswer,
  TakeAnswer,
  TakeRequest,
  TrustAnswer,
  TrustRequest,
} from "./local-api.ts";
