import type { ManifestAnswer, ManifestRequest } from "@wakeshift/protocol";
import { WakeshiftError } from "@wakeshift/protocol";
import type { LogBook } from "../log/log-book.ts";
import type { LogEntry } from "../log/logger.ts";
import type { AppClient } from "./app-client.ts";
import { within } from "../time/within.ts";

/** Publishes the event definitions: once, before the first call that needs them, and again only after a new definition. */
export interface Publisher {
  /** A definition was added. */
  changed(): void;
  /**
   * Resolves once the definitions are published, or the core refused them for a reason that needn't stop other events.
   * @throws WakeshiftError `no_key`, `unauthorized`, `unreachable` and the like: nothing else would get through either
   */
  published(deadline: number): Promise<void>;
  /**
   * Sends a request that needs the definitions. A core that has lost them (a new database) gets them once more.
   * @throws WakeshiftError as `published`, and what the core answered
   */
  send(path: string, body: object, deadline: number): Promise<Readonly<Record<string, unknown>>>;
}

/** What {@link createPublisher} needs. */
export interface PublisherOptions {
  readonly client: AppClient;
  readonly log: LogBook;
  readonly manifest: () => ManifestRequest;
  readonly monotonic: () => number;
}

/** Publishing that is under way or done, and until when the call that began it waits. */
interface Publishing {
  readonly work: Promise<void>;
  readonly until: number;
}

/**
 * How long a call waits for another's publishing before it begins one of its own. A runtime may stop a publishing together with the
 * request that began it, as Workers do once that is answered or its client has left, and then it never ends.
 */
const PATIENCE_MS = 1_000;
/** How much too early a timer may fire. */
const EARLY_MS = 5;

/** Beside all that may go better later: nothing else would get through either. */
const STOPS_ALL: ReadonlySet<string> = new Set(["no_key", "unauthorized", "bad_response"]);

export function createPublisher(options: PublisherOptions): Publisher {
  const { client, log, manifest, monotonic } = options;
  let current: Publishing | undefined;
  let taken = false;
  /** Goes up with all that has to be published anew. */
  let edition = 0;

  function outdate(): void {
    edition += 1;
    current = undefined;
  }

  function begin(deadline: number): Publishing {
    const begunFor = edition;
    const work = publish(deadline).then(
      () => {
        // Nobody needs to wait for one that was begun later.
        if (edition === begunFor) current = begun;
      },
      (error: unknown) => {
        if (current === begun) current = undefined;
        throw error;
      },
    );
    const begun: Publishing = { work, until: deadline };
    return begun;
  }

  async function publish(deadline: number): Promise<void> {
    try {
      const answer = await client.send("PUT", "/manifest", manifest(), deadline);
      taken = true;
      const { closed = [], stranded = [] } = answer as Partial<ManifestAnswer>;
      // A core states a closing for a minute, and who is stranded at each publish.
      for (const entry of [...closed.map(closedEntry), ...stranded.map(strandedEntry)]) log.tellOnce(entry.message, entry);
    } catch (error) {
      taken = false;
      const sentence = error instanceof Error ? error.message : "unknown failure";
      log.tell({ level: "error", code: "manifest_failed", message: `The events could not be published: ${sentence}` });
      // Refused as it is: asking again helps only once a definition has changed. Events that others published still work.
      if (WakeshiftError.isInstance(error) && !error.retryable && !STOPS_ALL.has(error.code)) return;
      throw error;
    }
  }

  async function published(deadline: number): Promise<void> {
    const joined = current;
    const { work, until } = (current ??= begin(deadline));
    const left = Math.max(1, deadline - monotonic());
    const isOver = (): boolean => monotonic() > deadline - EARLY_MS;
    const isThrough = await within(
      work.then(() => true),
      joined === undefined ? left : Math.min(left, PATIENCE_MS),
      () => false,
    ).catch((error: unknown) => {
      // It ended with the time of the call that had begun it, or the runtime says that it never will: this one has some time left.
      const isStopped = monotonic() > until - EARLY_MS || !WakeshiftError.isInstance(error);
      if (joined !== undefined && isStopped && !isOver()) return false;
      throw error;
    });
    if (isThrough) return;
    if (isOver()) throw new WakeshiftError("unreachable", "The core did not answer the publishing of the events in time.");
    if (current === joined) current = undefined;
    await published(deadline);
  }

  return {
    changed: outdate,
    published,
    async send(path, body, deadline): Promise<Readonly<Record<string, unknown>>> {
      await published(deadline);
      const before = current;
      try {
        return await client.send("POST", path, body, deadline);
      } catch (error) {
        if (!taken || !WakeshiftError.isInstance(error) || error.code !== "unknown_event") throw error;
      }
      // Many requests may find this out at once; one of them publishes.
      if (current === before) outdate();
      await published(deadline);
      return client.send("POST", path, body, deadline);
    },
  };
}

function closedEntry(closed: { readonly name: string; readonly ended: number }): LogEntry {
  const ended = closed.ended === 1 ? "1 subscription made otherwise was" : `${String(closed.ended)} subscriptions made otherwise were`;
  return {
    level: "warn",
    code: "event_closed",
    event: closed.name,
    ended: closed.ended,
    message: `${closed.name} can now be subscribed to only by this app's own tools; ${ended} ended. To reopen it, define it with authorize, personal: true or public: true.`,
  };
}

function strandedEntry({ name, live }: { readonly name: string; readonly live: number }): LogEntry {
  const which = live === 1 ? "1 subscription" : `${String(live)} subscriptions`;
  return {
    level: "warn",
    code: "subscriptions_stranded",
    event: name,
    subscriptions: live,
    message: `No emit matches ${which} of ${name}: made before, when it required other arguments, or was personal and isn't now, or the other way round. They are kept, and are matched again if you publish the event as it was; a conversation that subscribes anew is woken; wake.end({ event: "${name}" }) ends all subscriptions of the event.`,
  };
}
