import { boundRequestText, connectionFailureCode, describeUnreachable, WakeshiftError } from "@wakeshift/protocol";
import type { AppIdentity } from "./app-identity.ts";
import { watcherOf } from "./call-watcher.ts";
import type { CallWatcher } from "./call-watcher.ts";
import { ASKER, readCoreAnswer } from "./core-answer.ts";
import type { CoreFetch } from "./fetch.ts";
import { within } from "../time/within.ts";

const ANSWER_BYTES = 4_194_304;
const RETRY_PAUSE_MS = 100;
/** Failures before a byte of the request could have left. */
const NOT_SENT_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** `reason` of an `unreachable` error whose request surely did not run. */
export const NOT_SENT = "not_sent";

/** One core, asked as one app. */
export interface AppClient {
  /**
   * Sends one request; `deadline` is on the monotonic clock. Tries once more only where the first surely did not run.
   * @throws WakeshiftError `no_key`, `unauthorized`, `unreachable`, `bad_response`, or what the core answered
   */
  send(
    method: "GET" | "POST" | "PUT",
    path: string,
    body: object | undefined,
    deadline: number,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Whoever watches the calls that ask this core; nobody but in tests. */
  readonly watcher: CallWatcher | undefined;
}

/** What {@link createAppClient} needs. */
export interface AppClientOptions {
  /** The core's URL without a trailing slash. */
  readonly core: string;
  /** An error: there is no usable key, so every request fails with it. */
  readonly identity: AppIdentity | WakeshiftError;
  readonly fetch: CoreFetch;
  /** Monotonic, milliseconds. */
  readonly monotonic: () => number;
}

export function createAppClient(options: AppClientOptions): AppClient {
  const { core, identity, monotonic, fetch } = options;

  async function once(
    method: string,
    path: string,
    body: object | undefined,
    deadline: number,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (WakeshiftError.isInstance(identity)) throw new WakeshiftError(identity.code, identity.message);
    const json = body === undefined ? undefined : write(body);
    const assertion = await identity.assertion(boundRequestText(method, path, json ?? ""));
    const over = new AbortController();
    const exchange = async (): Promise<readonly [status: number, text: string]> => {
      const answer = await fetch(`${core}/api/apps/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${assertion}`,
          accept: "application/json",
          ...(json === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(json === undefined ? {} : { body: json }),
        redirect: "manual",
        signal: over.signal,
      });
      return [answer.status, await readBounded(answer)];
    };
    // A fetch of the author's own may heed no signal, and must hold no call for it.
    const late = (): never => {
      over.abort();
      throw new WakeshiftError("unreachable", `The core at ${core} did not answer ${path} in time.`);
    };
    const [status, text] = await within(exchange(), Math.max(1, deadline - monotonic()), late).catch((error: unknown) => {
      throw WakeshiftError.isInstance(error) ? error : unreachable(core, error);
    });
    return readCoreAnswer(status, text, { core, path });
  }

  return {
    watcher: watcherOf(fetch),
    async send(method, path, body, deadline): Promise<Readonly<Record<string, unknown>>> {
      try {
        return await once(method, path, body, deadline);
      } catch (error) {
        if (!WakeshiftError.isInstance(error) || error.reason !== NOT_SENT || monotonic() + RETRY_PAUSE_MS >= deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      return once(method, path, body, deadline);
    },
  };
}

/** Before the sending: a body that is no JSON must not look as if the core were away. */
function write(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new WakeshiftError(
      "bad_request",
      "The request can't be written as JSON: something in it holds itself, is nested too deep, or is no JSON.",
      {
        cause: error,
      },
    );
  }
}

async function readBounded(answer: Response): Promise<string> {
  if (answer.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES) throw new WakeshiftError("bad_response", "The core's answer is larger than 4 MiB, so it was not read.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function unreachable(core: string, error: unknown): WakeshiftError {
  const code = connectionFailureCode(error);
  const notSent = code !== undefined && NOT_SENT_CODES.has(code);
  return new WakeshiftError("unreachable", describeUnreachable(core, code, ASKER), notSent ? { reason: NOT_SENT } : {});
}
