import type { IncomingMessage } from "node:http";
import type { Authenticator } from "./app-api/authenticate.ts";
import type { EmitLimiter } from "./app-api/emit-limiter.ts";
import type { PublishedEvents } from "./app-api/published-events.ts";
import type { OwnAddresses } from "../engine/own-addresses.ts";
import type { SchemaJudge } from "../judging/schema-judge.ts";
import type { CoreLogger } from "../logger.ts";
import type { Store } from "../engine/store.ts";
import type { ReaderParts } from "../wait/reader.ts";
import type { Places } from "../wait/places.ts";
import type { Streams } from "../wait/streams.ts";
import type { UnknownTickets } from "../wait/unknown-tickets.ts";

/** What the handlers of all resources work with. */
export interface CoreServices {
  readonly store: Store;
  readonly clock: { now(): number; monotonic(): number };
  readonly randomBytes: (length: number) => Uint8Array;
  readonly log: CoreLogger;
  readonly own: OwnAddresses;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** With what this core proves itself to the bridges of its machine. */
  readonly proofSecret: string;
  /** The URLs it may be noted by on its machine. */
  readonly notedAddresses: readonly string[];
  readonly judge: SchemaJudge;
  readonly readers: ReaderParts;
  readonly streams: Streams;
  readonly places: Places;
  readonly unknownTickets: UnknownTickets;
  /** The address that limits count a request for. */
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  readonly authenticator: Authenticator;
  readonly events: PublishedEvents;
  readonly emits: EmitLimiter;
  /** SHA-256 of the operator's token. `undefined`: nobody may use the admin API. */
  readonly adminTokenHash: Buffer | undefined;
  /** Aborted when the core goes down. */
  readonly goingDown: AbortSignal;
}
