import type { ManifestAnswer, ManifestRequest } from "@wakeshift/protocol";
import { WakeshiftError } from "@wakeshift/protocol";
import type { LogBook } from "../log/log-book.ts";
import type { AppClient } from "./app-client.ts";

/** Publishes the event definitions: once, before the first call that needs them, and again only after a new definition. */
export interface Publisher {
  /** A definition was added. */
  changed(): void;
  /**
   * Resolves once the definitions are published, or the core refused them for a reason that needn't stop other events.
   * @throws WakeshiftError `no_key`, `unauthorized` or `unreachable`: nothing else would get through either
   */
  published(deadline: number): Promise<void>;
}

/** What {@link createPublisher} needs. */
export interface PublisherOptions {
  readonly client: AppClient;
  readonly log: LogBook;
  readonly manifest: () => ManifestRequest;
  readonly monotonic: () => number;
}

const STOPS_ALL: ReadonlySet<string> = new Set(["no_key", "unauthorized", "unreachable", "bad_response", "rate_limited", "storage_full"]);

export function createPublisher(options: PublisherOptions): Publisher {
  const { client, log, manifest, monotonic } = options;
  let current: Promise<void> | undefined;

  async function publish(deadline: number): Promise<void> {
    try {
      const answer = await client.send("PUT", "/manifest", manifest(), deadline);
      for (const closed of (answer as Partial<ManifestAnswer>).closed ?? []) tellClosed(log, closed);
    } catch (error) {
      current = undefined;
      const sentence = error instanceof Error ? error.message : "unknown failure";
      log.tell({ level: "error", code: "manifest_failed", message: `The events could not be published: ${sentence}` });
      if (!WakeshiftError.isInstance(error) || STOPS_ALL.has(error.code)) throw error;
    }
  }

  return {
    changed(): void {
      current = undefined;
    },
    async published(deadline): Promise<void> {
      current ??= publish(deadline);
      // Another call's publish may run on its own, later deadline.
      await within(current, deadline - monotonic());
    },
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        reject(new WakeshiftError("unreachable", "The core did not answer the publishing of the events in time."));
      },
      Math.max(1, ms),
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tellClosed(log: LogBook, closed: { readonly name: string; readonly ended: number }): void {
  log.tell({
    level: "warn",
    code: "event_closed",
    event: closed.name,
    ended: closed.ended,
    message: `${closed.name} can now be subscribed to only by this app's own tools; ${String(closed.ended)} subscriptions made otherwise were ended. To reopen it, define it with authorize, personal: true or public: true.`,
  });
}
