// For users: what an author or operator meets.
export { WakeshiftError, ERROR_TABLE, isErrorCode } from "./errors.ts";
export type { ErrorCode, WakeshiftErrorOptions } from "./errors.ts";
export { LIMITS } from "./limits.ts";
export { BelievedTime } from "./believed-time.ts";
export { isOutOfSpace, whyUnwritable } from "./file-error.ts";
export { isLoopbackHost, parseCoreUrl } from "./core-url.ts";
export type { CoreUrl } from "./core-url.ts";
export { connectionFailureCode, describeUnreachable, foreignResponse } from "./core-failure.ts";
export type { CoreAsker } from "./core-failure.ts";
export { shownCommand } from "./shown-command.ts";
export { PROGRAMS, WAKEABLE_PROGRAMS } from "./programs.ts";
export type { ProgramName } from "./programs.ts";

// For integrators: the wire.
export type {
  Access,
  Addition,
  AppAnswer,
  CallFacts,
  EmitAnswer,
  EmitRequest,
  EndedAnswer,
  EndMatchingRequest,
  EndRequest,
  ErrorAnswer,
  ListAnswer,
  ListedSubscription,
  ListRequest,
  ManifestAnswer,
  ManifestEvent,
  ManifestRequest,
  RollbackRequest,
  SubscribeAnswer,
  SubscribeRequest,
  UnsubscribeRequest,
  Via,
} from "./app-api.ts";
export type {
  AckAnswer,
  AckRequest,
  AckState,
  ComeBack,
  CoreIdentity,
  EndTicketsRequest,
  Ended,
  EndedReason,
  Gap,
  HelloAnswer,
  HelloRequest,
  LiveTicket,
  NextAnswer,
  NextRequest,
  Ready,
  Stranded,
  StreamRequest,
  Wake,
} from "./wake-api.ts";
export { boundRequestText } from "./app-api.ts";
export { coreProofText } from "./wake-api.ts";
export { SUBSCRIPTION_META_KEY } from "./result-meta.ts";
export type { SubscriptionMetaEntry } from "./result-meta.ts";

// For integrators: secrets and ids.
export { formatAppKey, parseAppKey } from "./secret/app-key.ts";
export { redactSecrets } from "./secret/redact-secrets.ts";
export { formatSecret, isSecret } from "./secret/secret.ts";
export type { SecretKind } from "./secret/secret.ts";
export { formatOccurrenceId, occurrenceIdOf } from "./identifier/occurrence-id.ts";
export { formatSubscriptionId } from "./identifier/subscription-id.ts";

// For integrators: events and who gets what.
export { argumentsText } from "./event/arguments-text.ts";
export { RESERVED_ARGUMENTS, TOOL_ARGUMENTS } from "./event/argument-names.ts";
export { defaultText } from "./event/default-text.ts";
export { emitRecipients } from "./event/emit-recipients.ts";
export { parseDuration } from "./event/duration.ts";
export { isEventName } from "./event/event-name.ts";
export { assertManifestEvent } from "./event/manifest-event.ts";
export { matchesFilter } from "./event/matches-filter.ts";
export { assertOpen, mayBeUsedBy, notOpen, viaOf } from "./event/openness.ts";
export { routeText } from "./event/route-text.ts";
export type { RouteParts } from "./event/route-text.ts";
export { requiredNames, splitArguments } from "./event/split-arguments.ts";
export type { SplitArguments } from "./event/split-arguments.ts";
export { describeSchemaFault } from "./json/schema-fault.ts";
export type { SchemaFault } from "./json/schema-fault.ts";
export { assertUsableSchema, SCHEMA_DATA_KEYWORDS } from "./event/usable-schema.ts";
export { canonicalJson } from "./json/canonical-json.ts";
export { isRecord } from "./json/is-record.ts";
export { assertPlainJson } from "./json/plain-json.ts";
export { additionOf } from "./subscribing/addition.ts";
export type { AdditionFacts } from "./subscribing/addition.ts";
export { callerOf, mayUseConversation, sessionKeyOf, unknownSession, userWithoutSession } from "./subscribing/session-rule.ts";
export type { Caller } from "./subscribing/session-rule.ts";
export { subscribeTerms } from "./subscribing/subscribe-terms.ts";
export type { SubscribeTerms } from "./subscribing/subscribe-terms.ts";

// For integrators: agent programs, and what they are shown.
export { agentIdOf, isProgramName } from "./agent/agent-id.ts";
export { callMetaOf } from "./agent/call-meta.ts";
export { isNativeClient } from "./agent/native-client.ts";
export { metaClientNameOf } from "./agent/recognition-facts.ts";
export type { RecognitionFacts } from "./agent/recognition-facts.ts";
export { recognize, recognizeCall } from "./agent/recognize.ts";
export type { Recognition, RecognizedBy } from "./agent/recognize.ts";
export { cleanLine, cleanText, escapeHidden } from "./frame/clean-text.ts";
export { cutToBytes } from "./frame/cut-to-bytes.ts";
export type { FramedOccurrence } from "./frame/frame-block.ts";
export { FRAME_HEADING, framesOccurrence } from "./frame/heading.ts";
export { frameWake } from "./frame/frame-wake.ts";
export type { FramedWake, FrameOptions } from "./frame/frame-wake.ts";
