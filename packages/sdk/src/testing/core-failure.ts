import { WakeshiftError } from "@wakeshift/protocol";
import type { CoreRequest } from "../client/fetch.ts";

/**
 * How a core for tests fails.
 *
 * `down`: nobody answers, and the request surely did not run. `slow`: no answer comes before the SDK's time is over.
 * `lost`: the request runs, and its answer is lost. `refused`: the app key isn't taken. `full`: nothing can be stored.
 */
export type CoreFailure = "down" | "slow" | "lost" | "refused" | "full";

/** Fails one request. `run` does what the request asks for. */
export async function failRequest(failure: CoreFailure, request: CoreRequest, run: () => Promise<unknown>): Promise<never> {
  switch (failure) {
    case "down":
      throw networkFault("ECONNREFUSED");
    case "slow":
      return aborted(request.signal);
    case "lost":
      await run();
      throw networkFault("ECONNRESET");
    case "refused":
      throw new WakeshiftError("unauthorized", "This core for tests was told to refuse the app key.");
    case "full":
      throw new WakeshiftError("storage_full", "This core for tests was told that it can store nothing.");
  }
}

/** As the runtime's `fetch` fails. */
function networkFault(code: string): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // The signal's own timer keeps no process alive.
    const alive = setInterval(() => undefined, 60_000);
    const give = (): void => {
      clearInterval(alive);
      reject(new DOMException("The request was aborted.", "AbortError"));
    };
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}
