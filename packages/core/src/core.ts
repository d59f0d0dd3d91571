import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LIMITS, parseCoreUrl, WakeshiftError } from "@wakeshift/protocol";
import type { CoreIdentity, ErrorCode } from "@wakeshift/protocol";
import type { CoreOptions } from "./core-options.ts";
import { clientAddress, parseTrustedProxies } from "./engine/client-address.ts";
import { ownAddresses, withoutSlash } from "./engine/own-addresses.ts";
import { Authenticator } from "./http/app-api/authenticate.ts";
import { EmitLimiter } from "./http/app-api/emit-limiter.ts";
import { PublishedEvents } from "./http/app-api/published-events.ts";
import type { CoreServices } from "./http/core-services.ts";
import { serveRequests } from "./http/server/serve-requests.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { SchemaJudge } from "./judging/schema-judge.ts";
import { createLogger } from "./logger.ts";
import type { CoreLogger } from "./logger.ts";
import { pooledRandomBytes } from "./pooled-random-bytes.ts";
import { openSqliteStore } from "./store/sqlite/open-sqlite-store.ts";
import type { Store, StoreClock } from "./engine/store.ts";
import { VERSION } from "./version.ts";
import { Hub } from "./wait/hub.ts";
import { Places } from "./wait/places.ts";
import { UnknownTickets } from "./wait/unknown-tickets.ts";
import { Streams } from "./wait/streams.ts";

/** A core that runs. */
export interface RunningCore {
  /** Loopback URL, or that of the address it listens on. Without a slash at its end. */
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  /**
   * Made at this start. A bridge of this machine that was given it by `registerLocalCore` sends nothing to a listener at this
   * core's address that doesn't know it, too.
   */
  readonly proofSecret: string;
  /** Tells streams when to come back, lets requests finish, closes the store. A second call waits for the first. */
  close(): Promise<void>;
}

const PING_MS = 15_000;
const MAX_STREAMS = 10_000;
const ADMIN_TOKEN_CHARACTERS = 16;
/** Requests that aren't done by then are cut off. */
const CLOSE_MS = 5_000;
const SWEEP_MS = 50;

const machineClock: StoreClock = { now: () => Date.now(), monotonic: () => performance.now() };

/**
 * Starts a core and resolves once it answers.
 *
 * @throws WakeshiftError `bad_request` for options that make no sense; `unsupported` for a PostgreSQL URL; `internal` where the
 * port or the database is another's; `storage_full`
 */
export async function startCore(options: CoreOptions = {}): Promise<RunningCore> {
  const publicUrl = parsePublicUrl(options.publicUrl);
  checkOptions(options);
  const log = createLogger(options.logLevel ?? "info", options.logDestination);
  const clock = options.clock ?? machineClock;
  const leaseMs = options.leaseMs ?? LIMITS.leaseMs;
  const judge = new SchemaJudge(() => clock.monotonic());
  const store =
    options.store ?? openSqliteStore({ path: databasePathOf(options), clock, leaseMs, occurrencesPerApp: options.occurrencesPerApp });
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 30_000 });
  const host = options.host ?? "127.0.0.1";
  let listening: AddressInfo;
  let id: string;
  try {
    id = await store.coreId();
    listening = await listen(server, host, options.port ?? 4_870);
  } catch (error) {
    await store.close();
    throw error;
  }
  const { port } = listening;
  const url = urlOf(host, listening);
  const proofSecret = randomBytes(32).toString("base64url");
  const goingDown = new AbortController();
  const core = { id, version: VERSION };
  const services = createServices({
    options,
    store,
    core,
    proofSecret,
    clock,
    judge,
    leaseMs,
    log,
    port,
    host,
    url,
    publicUrl,
    goingDown: goingDown.signal,
  });
  const bootId = randomUUID().slice(0, 8);
  let requests = 0;
  const sockets = serveRequests(server, services, () => `${bootId}-${(requests += 1).toString(36)}`);
  store.listen({
    refused: (failure) => log.error({ err: failure }, "the storage refuses writes; they are tried again, and this says when it takes them"),
    recovered: () => log.info({}, "the storage takes writes again"),
  });
  const stopHousekeeping = startHousekeeping({ store, clock, log, retentionMs: options.retentionMs ?? LIMITS.retentionMs });
  log.info({ url, publicUrl: services.publicUrl }, "the core is listening");
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    log.info({}, "the core is going down");
    goingDown.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A kept-alive connection is idle once its last request is through.
    const sweep = setInterval(() => sockets.closeIdle(), SWEEP_MS);
    const force = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    await services.streams.close();
    await closed;
    clearInterval(sweep);
    clearTimeout(force);
    services.readers.hub.close();
    await judge.close();
    await stopHousekeeping();
    await store.close();
  };
  return { url, port, store, proofSecret, close: () => (closing ??= close()) };
}

interface ServiceFacts {
  readonly options: CoreOptions;
  readonly store: Store;
  readonly core: CoreIdentity;
  readonly proofSecret: string;
  readonly clock: StoreClock;
  readonly judge: SchemaJudge;
  readonly leaseMs: number;
  readonly log: CoreLogger;
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly publicUrl: URL | undefined;
  readonly goingDown: AbortSignal;
}

function createServices(facts: ServiceFacts): CoreServices {
  const { options, store, clock, leaseMs, log } = facts;
  const hub = new Hub(store, clock);
  const own = ownAddresses(facts.port, facts.host, facts.publicUrl);
  const appOf = async (appId: string): Promise<{ id: string; name: string }> => ({
    id: appId,
    name: (await store.findApp(appId))?.name ?? appId,
  });
  const onFault = (fault: unknown): void => log.error({ err: fault }, "reading for a taker failed; it is tried again");
  const publicUrl = facts.publicUrl === undefined ? facts.url : withoutSlash(facts.publicUrl.href);
  const readers = { store, core: facts.core, hub, clock, leaseMs, appOf, onFault };
  const isTrusted = parseTrustedProxies(options.trustedProxies ?? []);
  const { maxStreams: inAll = MAX_STREAMS, maxStreamsPerAddress: perAddress = LIMITS.streamsPerAddress } = options;
  const places = new Places({ inAll, perAddress, perHolder: LIMITS.streamsPerHolder }, Math.random);
  return {
    store,
    clock,
    randomBytes: options.randomBytes ?? pooledRandomBytes,
    log,
    own,
    publicUrl,
    proofSecret: facts.proofSecret,
    notedAddresses: [withoutSlash(new URL(facts.url).href), publicUrl],
    judge: facts.judge,
    readers,
    unknownTickets: new UnknownTickets(),
    streams: new Streams(readers, {
      pingMs: options.pingMs ?? PING_MS,
      random: Math.random,
      retryMs: () => places.retryMs(),
    }),
    places,
    addressOf: ({ socket, headers }) => clientAddress(socket.remoteAddress, forwardedFor(headers), isTrusted),
    authenticator: new Authenticator({ store, clock, audiences: own.audiences }),
    events: new PublishedEvents(store, () => clock.monotonic()),
    emits: new EmitLimiter(options.emitRate),
    adminTokenHash: options.adminToken === undefined ? undefined : createHash("sha256").update(options.adminToken).digest(),
    goingDown: facts.goingDown,
  };
}

function forwardedFor({ "x-forwarded-for": header }: IncomingHttpHeaders): string | undefined {
  return Array.isArray(header) ? header.join(",") : header;
}

const LISTEN_FAILURES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  EADDRINUSE: [
    "port_in_use",
    "another program listens there; stop it, or choose another port with --port. Beside another core this one also needs a folder of its own, with --data",
  ],
  EACCES: ["bad_request", "this user may not listen there; choose a port of 1024 or above with --port"],
  EADDRNOTAVAIL: ["bad_request", "this machine has no such address; choose another with --host"],
  ENOTFOUND: ["bad_request", "there is no such name; choose another with --host"],
};

/** Where the core is reached on its machine. `localhost` may be two addresses, and the core listens on one of them only. */
function urlOf(host: string, { address, port }: AddressInfo): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host === "localhost" ? address : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const [code, why] = LISTEN_FAILURES[error.code ?? ""] ?? ["internal", error.code ?? "it failed"];
      reject(new WakeshiftError(code, `The core can't listen on ${host} port ${port}: ${why}.`, { cause: error }));
    });
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

function databasePathOf({ databasePath, dataDir }: CoreOptions): string {
  if (databasePath !== undefined) {
    if (/^postgres(ql)?:/i.test(databasePath)) {
      throw new WakeshiftError(
        "unsupported",
        "This core can't use PostgreSQL yet. Set WAKESHIFT_DATABASE_URL to the path of a SQLite file.",
      );
    }
    return databasePath.startsWith("file:") ? fileURLToPath(databasePath) : databasePath;
  }
  if (dataDir !== undefined) return join(dataDir, "wakeshift.db");
  throw new WakeshiftError("bad_request", "The core needs a place for its data: pass `dataDir`, `databasePath` or `store`.");
}

function parsePublicUrl(text: string | undefined): URL | undefined {
  return text === undefined ? undefined : new URL(parseCoreUrl(text, "WAKESHIFT_PUBLIC_URL").base);
}

function checkOptions({ adminToken, pingMs, retentionMs }: CoreOptions): void {
  if (adminToken !== undefined && adminToken.length < ADMIN_TOKEN_CHARACTERS) {
    throw new WakeshiftError("bad_request", `WAKESHIFT_ADMIN_TOKEN must have at least ${ADMIN_TOKEN_CHARACTERS} characters.`);
  }
  if (pingMs !== undefined && pingMs > LIMITS.pingMs) throw new WakeshiftError("bad_request", `pingMs must be at most ${LIMITS.pingMs}.`);
  if (retentionMs !== undefined && retentionMs < LIMITS.retentionMinMs) {
    throw new WakeshiftError(
      "bad_request",
      `retentionMs must be at least ${LIMITS.retentionMinMs} (a day), for as long as a replay may reach back.`,
    );
  }
}
