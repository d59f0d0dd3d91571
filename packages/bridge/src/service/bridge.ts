import { BelievedTime, LIMITS, parseCoreUrl, WakeshiftError } from "@wakeshift/protocol";
import type { ProgramName } from "@wakeshift/protocol";
import type { Clock } from "../clock.ts";
import { filesSetAside, removeLeftTemporaries } from "../files/json-file.ts";
import type { BridgeHome } from "../home.ts";
import type { Program, Runner } from "@wakeshift/programs";
import { ownCommand } from "@wakeshift/programs/machine";
import type {
  EndAnswer,
  OccurrenceAnswer,
  OutcomeAnswer,
  OutcomeRequest,
  ReportAnswer,
  ReportRequest,
  SettingsAnswer,
  StatusAnswer,
  SubscriptionsAnswer,
  TakeAnswer,
  TakeRequest,
  TrustAnswer,
  TrustRequest,
} from "../local-api.ts";
import type { ProxyVariables } from "../proxy-variables.ts";
import { LiveMarkers } from "../state/live-markers.ts";
import { LocalCores } from "../trust/local-cores.ts";
import { OccurrenceFiles } from "../state/occurrence-files.ts";
import { Outbox, ofCore } from "../state/outbox.ts";
import type { OutboxMessage } from "../state/outbox.ts";
import type { PendingWake } from "../state/pending-wakes.ts";
import { PendingWakes } from "../state/pending-wakes.ts";
import { requireSaved } from "../files/require-saved.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { RefusedTools } from "../state/refused-tools.ts";
import { Settings } from "../state/settings.ts";
import type { StateReports } from "../files/state-reports.ts";
import { Subscriptions } from "../state/subscriptions.ts";
import { findApp } from "../trust/find-app.ts";
import type { TrustRule } from "../trust/trust-decision.ts";
import { Trust } from "../trust/trust.ts";
import { CoreHttp } from "../stream/core-http.ts";
import type { WayTimes } from "../stream/stream-or-poll.ts";
import { Dispatcher } from "../wakes/dispatcher.ts";
import { Arrivals } from "./arrivals.ts";
import { Cores } from "./cores.ts";
import { Reports } from "./reports.ts";
import { bridgeStatus, listTickets } from "./bridge-status.ts";
import { Spool } from "./spool.ts";

export interface BridgeOptions {
  readonly home: BridgeHome;
  readonly programs: readonly Program[];
  readonly runner: Runner;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: (level: "info" | "error", message: string, facts: Readonly<Record<string, unknown>>) => void;
  readonly version: string;
  readonly supervisor: () => number;
  /** How long a taker may keep a wake without an outcome. @defaultValue 30,000 */
  readonly leaseMs?: number;
  /** How often it looks at processes and files. @defaultValue 1,000 */
  readonly tickMs?: number;
  /** Pause before a write that failed is tried again. @defaultValue 5,000 */
  readonly retryMs?: number;
  /** When a core is polled instead of streamed from. @defaultValue `DEFAULT_WAY_TIMES` */
  readonly wayTimes?: WayTimes;
}

const RETRY_MS = 5_000;
const PRUNE_EVERY_MS = 600_000;

/** The bridge without its process and its socket: state, streams and deliveries wired together. */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #subscriptions: Subscriptions;
  readonly #pending: PendingWakes;
  readonly #occurrences: OccurrenceFiles;
  readonly #trust: Trust;
  readonly #settings: Settings;
  readonly #refusedTools: RefusedTools;
  readonly #outbox: Outbox;
  readonly #markers: LiveMarkers;
  readonly #localCores: LocalCores;
  readonly #http: CoreHttp;
  readonly #cores: Cores;
  readonly #dispatcher: Dispatcher;
  readonly #arrivals: Arrivals;
  readonly #reportsTaken: Reports;
  readonly #spool: Spool;
  /** By which things are old: what is forgotten here for its age, the core may still hold. */
  readonly #time = new BelievedTime();
  readonly #since: string;
  #timer: NodeJS.Timeout | undefined;
  #prunedAt = 0;
  #localOrigins = "";

  constructor(options: BridgeOptions) {
    this.#options = options;
    const { home, clock, random } = options;
    makePrivateFolder(home.folder);
    const reports = this.#reports();
    const log = (message: string, facts: Readonly<Record<string, unknown>>): void => options.log("info", message, facts);
    this.#since = new Date(clock.now()).toISOString();
    this.#believedNow();
    this.#subscriptions = new Subscriptions(home.tickets, home.holder, reports);
    this.#pending = new PendingWakes(home.wakes, reports);
    this.#occurrences = new OccurrenceFiles(home.occurrences);
    this.#localCores = new LocalCores(home);
    this.#http = new CoreHttp((origin) => this.#localCores.secretOf(origin));
    this.#trust = new Trust(home.trust, this.#localCores, reports);
    this.#settings = new Settings(home.settings, reports);
    this.#refusedTools = new RefusedTools(home.refusedTools, reports);
    this.#outbox = new Outbox(home.outbox, reports);
    this.#markers = new LiveMarkers(home.live);
    const onChange = (program: ProgramName, conversation: string): void => this.#changed(program, conversation);
    this.#cores = new Cores({
      tickets: this.#subscriptions.tickets,
      trust: this.#trust,
      holder: this.#subscriptions.holder,
      outbox: this.#outbox,
      http: this.#http,
      random,
      wayTimes: options.wayTimes,
      events: {
        ready: (base, tickets, confirmed, coreId) => void this.#guard(this.#arrivals.ready(base, tickets, confirmed, coreId)),
        wake: (base, wake) => this.#guard(this.#arrivals.wake(base, wake)),
        ended: (base, ended) => void this.#guard(this.#arrivals.ended(base, ended)),
        log,
      },
    });
    this.#dispatcher = new Dispatcher({
      clock,
      random,
      pending: this.#pending,
      conversations: this.#subscriptions.conversations,
      occurrences: this.#occurrences,
      settings: () => this.#settings.current,
      program: (name) => options.programs.find((program) => program.name === name),
      runner: options.runner,
      live: (program, conversation) => this.#live(program, conversation),
      mayShow: (wake) => this.#mayShow(wake),
      ack: (wakes, state) => this.#cores.send(wakes.flatMap((wake) => this.#acksOf(wake, state))),
      onChange,
      log,
      leaseMs: options.leaseMs ?? LIMITS.leaseMs,
    });
    this.#arrivals = new Arrivals({
      clock,
      subscriptions: this.#subscriptions,
      pending: this.#pending,
      occurrences: this.#occurrences,
      trust: this.#trust,
      send: (messages) => this.#cores.send(messages),
      onTickets: () => this.#cores.refresh(),
      pump: (program, conversation) => this.#dispatcher.pump(program, conversation),
      onChange,
      log,
    });
    this.#reportsTaken = new Reports({
      subscriptions: this.#subscriptions,
      pending: this.#pending,
      trust: this.#trust,
      refusedTools: this.#refusedTools,
      now: () => clock.now(),
      onChange,
      onTickets: () => this.#cores.refresh(),
      log,
    });
    this.#spool = new Spool({
      folder: home.spool,
      hand: (report) => this.report(report),
      refuse: (detail) => options.log("error", "a report left by a hook can't be used", { detail }),
      postpone: (error) => this.#fault(error),
      monotonic: () => clock.monotonic(),
      retryMs: options.retryMs ?? RETRY_MS,
    });
  }

  /** A caller's proxies: taken over if the bridge's own don't work, so that a corrected variable takes effect without a restart. */
  offerProxies(offered: ProxyVariables): void {
    if (!this.#http.offerProxies(offered)) return;
    this.#options.log("info", "the proxies of a caller's environment are used from now on", {});
    this.#cores.refresh();
  }

  start(): void {
    const { home } = this.#options;
    for (const folder of [home.folder, home.occurrences, home.spool]) removeLeftTemporaries(folder);
    this.#markers.keepOnly([...this.#subscriptions.tickets.all(), ...this.#pending.all()]);
    this.#cores.refresh();
    this.#dispatcher.recover();
    this.#tick();
    this.#timer = setInterval(() => void this.#guard(Promise.resolve().then(() => this.#tick())), this.#options.tickMs ?? 1_000);
  }

  async report(request: ReportRequest): Promise<ReportAnswer> {
    const answer = await this.#reportsTaken.report(request);
    if (request.seen !== undefined) await this.#dispatcher.seen(request.program, request.conversation, request.seen);
    this.#dispatcher.reported(request.program, request.conversation);
    return answer;
  }

  take(request: TakeRequest, signal: AbortSignal): Promise<TakeAnswer> {
    const { program, conversation } = request;
    const known = this.#subscriptions.conversations.find(program, conversation);
    if (known !== undefined && (known.lifecycle === "closed" || (request.pid !== undefined && request.pid !== known.pid))) {
      // Who asks for a wake is there.
      const lifecycle = known.lifecycle === "closed" ? "idle" : known.lifecycle;
      const pid = request.pid === undefined ? {} : { pid: request.pid };
      this.#subscriptions.conversations.report(program, { conversation, lifecycle, unattended: request.unattended, results: [], ...pid });
      void this.#subscriptions.save();
    }
    return this.#dispatcher.take(request, signal);
  }

  async outcome(request: OutcomeRequest): Promise<OutcomeAnswer> {
    return { known: await this.#dispatcher.outcome(request) };
  }

  status(): StatusAnswer {
    return bridgeStatus({
      subscriptions: this.#subscriptions,
      pending: this.#pending,
      trust: this.#trust,
      settings: this.#settings,
      outbox: this.#outbox,
      cores: this.#cores,
      stateOf: (wake) => (this.#isMuted(wake) ? { state: "muted", detail: "" } : this.#dispatcher.stateOf(wake)),
      refusedTools: this.#refusedTools.all(this.#options.clock.now()),
      setAside: filesSetAside(this.#options.home.folder),
      isOpen: (program, conversation) => this.#dispatcher.isOpen(program, conversation),
      identity: { pid: process.pid, version: this.#options.version, since: this.#since },
      supervisor: this.#options.supervisor,
    });
  }

  subscriptions(): SubscriptionsAnswer {
    return { subscriptions: listTickets(this.#subscriptions, this.#trust) };
  }

  /** Ends every ticket of one subscription, here and at its core. */
  async end(id: string): Promise<EndAnswer> {
    const tickets = this.#subscriptions.tickets.all().filter((ticket) => ticket.id === id);
    if (tickets.length === 0)
      throw new WakeshiftError(
        "unknown_subscription",
        `No subscription ${id.slice(0, 80)} on this machine. \`${ownCommand(["list"])}\` shows those there are.`,
      );
    const saved = await this.#arrivals.end(tickets);
    this.#cores.refresh();
    requireSaved(saved);
    return { ended: new Set(tickets.map((ticket) => `${ticket.base} ${ticket.id}`)).size };
  }

  async allow(request: TrustRequest): Promise<TrustAnswer> {
    const subject = this.#subjectOf(request);
    const answered = this.#trust.answer("allow", ruleOf(subject));
    // Whoever is told that what answers can't prove itself, and still allows it, means just that.
    if (this.#cores.isUnproven(subject.origin)) this.#localCores.waiveProof(subject.origin);
    this.#cores.refresh();
    this.#dispatcher.pumpAll();
    requireSaved(await answered);
    return this.#trustAnswer(subject);
  }

  /** What is subscribed there is kept, but muted: its core isn't contacted any more, not even to say so. */
  async deny(request: TrustRequest): Promise<TrustAnswer> {
    const subject = this.#subjectOf(request);
    // Counts from here on; that all of it is on disk is waited for afterwards.
    const answered = this.#trust.answer("deny", ruleOf(subject));
    this.#cores.refresh();
    const muted = this.#arrivals.letGoOfDenied();
    requireSaved((await Promise.all([answered, muted])).every(Boolean));
    return this.#trustAnswer(subject);
  }

  occurrence(id: string): OccurrenceAnswer {
    const found = this.#occurrences.find(id);
    if (found !== undefined) return found;
    throw new WakeshiftError("bad_request", `This machine holds no occurrence ${id.slice(0, 80)}. They are kept for 8 days.`, {
      status: 404,
    });
  }

  async set(key: string, value: string): Promise<SettingsAnswer> {
    const saved = this.#settings.set(key, value);
    this.#dispatcher.pumpAll();
    requireSaved(await saved);
    return this.#settings.current;
  }

  /** Everything is on disk and no connection is open when this resolves. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#dispatcher.close();
    this.#cores.close();
    await Promise.all([this.#subscriptions.save(), this.#pending.save()]);
    await this.#http.close();
  }

  #tick(): void {
    const { clock } = this.#options;
    const origins = this.#trust.localOrigins().join("\n");
    if (origins !== this.#localOrigins) {
      this.#localOrigins = origins;
      this.#cores.refresh();
    }
    this.#arrivals.dropExpired(this.#believedNow());
    this.#dispatcher.tick();
    void this.#guard(this.#spool.take());
    if (clock.monotonic() - this.#prunedAt > PRUNE_EVERY_MS) this.#prune();
  }

  #prune(): void {
    const { clock } = this.#options;
    this.#prunedAt = clock.monotonic();
    const now = this.#believedNow();
    this.#pending.prune(now);
    this.#outbox.prune(now);
    const pending = new Set(this.#pending.all().map((wake) => wake.occurrence));
    this.#occurrences.prune(now, (occurrence) => pending.has(occurrence));
    for (const one of this.#subscriptions.conversations.all()) {
      if (!this.#isNeeded(one.program, one.conversation)) this.#subscriptions.conversations.remove(one.program, one.conversation);
    }
  }

  #believedNow(): number {
    const { clock } = this.#options;
    return this.#time.at(clock.now(), clock.monotonic());
  }

  #isMuted(wake: PendingWake): boolean {
    return this.#trust.decide(new URL(wake.base).origin, wake.app) !== "allowed";
  }

  /** A ticket that is gone has been delivered or replaced: else its wakes were dropped with it. */
  #mayShow(wake: PendingWake): boolean {
    if (this.#isMuted(wake)) return false;
    const now = this.#options.clock.now();
    return wake.subscriptions.some(
      (one) => (this.#subscriptions.tickets.find(wake.base, one.ticketId)?.expiresAt ?? Number.POSITIVE_INFINITY) > now,
    );
  }

  #changed(program: ProgramName, conversation: string): void {
    try {
      this.#markers.set(program, conversation, this.#isNeeded(program, conversation));
    } catch (error) {
      this.#fault(error);
    }
    this.#dispatcher.ended(program, conversation);
  }

  #isNeeded(program: string, conversation: string): boolean {
    return this.#live(program, conversation).all > 0 || this.#pending.ofConversation(program, conversation).length > 0;
  }

  #live(program: string, conversation: string): { all: number; allowed: number } {
    const tickets = this.#subscriptions.tickets
      .current()
      .filter((ticket) => ticket.program === program && ticket.conversation === conversation);
    const allowed = tickets.filter((ticket) => this.#trust.decide(ticket.origin, ticket.app.id) === "allowed");
    return { all: tickets.length, allowed: allowed.length };
  }

  /** The ticket may have been renewed since the wake came: then the newer one is the one that may ack. */
  #acksOf(wake: PendingWake, state: "handed" | "seen"): readonly OutboxMessage[] {
    const since = this.#options.clock.now();
    return wake.subscriptions.map((one) => {
      const renewed =
        this.#subscriptions.tickets.find(wake.base, one.ticketId) ?? this.#subscriptions.tickets.ofSubscription(wake.base, one.id).at(-1);
      return {
        kind: "ack",
        base: wake.base,
        app: wake.app,
        ...ofCore(renewed ?? wake),
        ticket: renewed?.ticket ?? one.ticket,
        occurrence: wake.occurrence,
        state,
        since,
      };
    });
  }

  /** @throws WakeshiftError `bad_request` for an address that is not valid, or an app that isn't known */
  #subjectOf(request: TrustRequest): TrustSubject {
    const { origin } = parseCoreUrl(request.origin);
    if (request.app === undefined) return { origin };
    const subscribed = this.#subscriptions.tickets.all().filter((ticket) => ticket.origin === origin);
    const answered = this.#trust.appsOf(origin).map((id) => ({ id, name: id }));
    return { origin, app: findApp([...answered, ...subscribed.map((ticket) => ticket.app)], request.app, origin) };
  }

  #trustAnswer(subject: TrustSubject): TrustAnswer {
    const { origin, app } = subject;
    const subscriptions = this.#subscriptions.tickets
      .current()
      .filter((ticket) => ticket.origin === origin && (app === undefined || ticket.app.id === app.id)).length;
    return { ...subject, subscriptions, others: this.#trust.decideOthers(origin) };
  }

  /** A fault in one thing stops nothing else. */
  #guard(work: Promise<unknown>): Promise<void> {
    return work.then(
      () => undefined,
      (error: unknown) => this.#fault(error),
    );
  }

  #fault(error: unknown): void {
    this.#options.log("error", "something failed in the bridge", { detail: error instanceof Error ? (error.stack ?? error.message) : "" });
  }

  #reports(): StateReports {
    const { log } = this.#options;
    return {
      corrupt: (path, keptAs) =>
        log("error", "a state file can't be used; it is kept aside and the bridge goes on without it", { path, keptAs }),
      failed: (path) => (error) =>
        log("error", "a state file can't be written; it is tried again", { path, detail: error instanceof Error ? error.message : "" }),
      retryMs: this.#options.retryMs ?? RETRY_MS,
    };
  }
}

/** What an answer of the user is about: a core, or one app of it. */
type TrustSubject = Pick<TrustAnswer, "origin" | "app">;

function ruleOf({ origin, app }: TrustSubject): TrustRule {
  return app === undefined ? { origin } : { origin, app: app.id };
}
