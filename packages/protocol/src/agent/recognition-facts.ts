import { isRecord } from "../json/is-record.ts";
/** What one call's requests say about the program that sent them. The client asserts all of it but `identifiedClient`. */
export interface RecognitionFacts {
  /** `clientInfo.name` of `initialize`, on servers with sessions. */
  readonly initializeName?: string | undefined;
  /** `capabilities` of `initialize`, on servers with sessions. */
  readonly initializeCapabilities?: unknown;
  /** `clientInfo.name` of the request's `_meta` (protocol 2026-07-28). Read from `meta` where absent. */
  readonly metaClientName?: string | undefined;
  /** The request's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly userAgent?: string | undefined;
  /** The `client` that the author's `identify` returned. */
  readonly identifiedClient?: string | undefined;
  /** The tool argument `harness`. */
  readonly harness?: string | undefined;
}

/** The name in the client info that a request's `_meta` carries, if it is text. */
export function metaClientNameOf(facts: RecognitionFacts): string | undefined {
  if (facts.metaClientName !== undefined) return facts.metaClientName;
  const info = facts.meta?.["io.modelcontextprotocol/clientInfo"];
  const name = isRecord(info) ? info["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}
