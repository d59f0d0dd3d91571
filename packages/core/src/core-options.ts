import type { EmitRate } from "./engine/event/emit-rate.ts";
import type { LogDestination, LogLevel } from "./logger.ts";
import type { Store, StoreClock } from "./engine/store.ts";

/** Options of `startCore`. */
export interface CoreOptions {
  /**
   * Address to listen on. Any other than loopback needs `publicUrl`, since requests are taken only under the core's own names.
   * @defaultValue "127.0.0.1"
   */
  readonly host?: string;
  /**
   * Port to listen on; 0 takes any free one.
   * @defaultValue 4870
   */
  readonly port?: number;
  /** Folder for the database `wakeshift.db`. One of `dataDir`, `databasePath` and `store` is needed. */
  readonly dataDir?: string;
  /** The database file, as a path or a `file:` URL. Wins over `dataDir`. */
  readonly databasePath?: string;
  /** A store to use instead of a file. The core closes it when it closes. */
  readonly store?: Store;
  /**
   * The URL under which bridges and apps reach this core: https, or http on loopback.
   * @defaultValue loopback with the port
   */
  readonly publicUrl?: string;
  /** Opens the admin API to whoever sends it; at least 16 characters. Absent: nobody. */
  readonly adminToken?: string;
  /**
   * What is logged, from this level up.
   * @defaultValue "info"
   */
  readonly logLevel?: LogLevel;
  /**
   * Takes the log's lines.
   * @defaultValue stderr
   */
  readonly logDestination?: LogDestination;
  /** Wall and monotonic clock, for tests. Timers are the machine's. */
  readonly clock?: StoreClock;
  /** Source of secrets and ids, for tests. */
  readonly randomBytes?: (length: number) => Uint8Array;
  /**
   * How long a taker may hold a wake without an ack before it is offered again.
   * @defaultValue 30,000
   */
  readonly leaseMs?: number;
  /**
   * How often a quiet stream pings, at most 20,000.
   * @defaultValue 15,000
   */
  readonly pingMs?: number;
  /**
   * How many streams and long polls may be open at once; each takes about 20 kB. One holder may have 64 of them.
   * @defaultValue 10,000
   */
  readonly maxStreams?: number;
  /**
   * How many of those one remote address may have.
   * @defaultValue 1,000
   */
  readonly maxStreamsPerAddress?: number;
  /**
   * Addresses and CIDR ranges of the proxies in front, whose `X-Forwarded-For` says who asks. Limits per address need it: without
   * it, all that comes from loopback is nobody's in particular.
   * @defaultValue none
   */
  readonly trustedProxies?: readonly string[];
  /** How many occurrences of one app are kept; further emits are refused until older ones are gone. Absent: any number. */
  readonly occurrencesPerApp?: number;
  /** How much one app may emit. Absent: as much as it likes. */
  readonly emitRate?: EmitRate;
  /**
   * How long occurrences are kept, at least a day.
   * @defaultValue 604,800,000 (7 days)
   */
  readonly retentionMs?: number;
}
