import { foreignResponse, isErrorCode, isRecord, redactSecrets, WakeshiftError } from "@wakeshift/protocol";
import type { CoreAsker } from "@wakeshift/protocol";

/** The SDK in a sentence about a core that can't be asked. */
export const ASKER: CoreAsker = { setting: "WAKESHIFT_CORE", process: "this process" };

/** Statuses that promise that the same request may succeed later, whatever the code. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 503]);

/**
 * Reads a core's answer. Only a JSON object with a 2xx status is one.
 * @throws WakeshiftError with the core's own code, or `bad_response` where it isn't the core that answered
 */
export function readCoreAnswer(
  status: number,
  body: string,
  { core, path }: { readonly core: string; readonly path: string },
): Readonly<Record<string, unknown>> {
  const value = parseObject(body);
  if (value !== undefined && status >= 200 && status < 300) return value;
  const error = value === undefined ? undefined : value["error"];
  if (typeof error === "object" && error !== null) {
    const { code, message, reason } = error as Readonly<Record<string, unknown>>;
    const sentence = redactSecrets(typeof message === "string" ? message : `The core answered ${String(status)}.`);
    const finer = typeof reason === "string" ? { reason } : {};
    if (isErrorCode(code)) throw new WakeshiftError(code, sentence, finer);
    throw new WakeshiftError("bad_response", `The core answered ${path} with a code this version doesn't know: ${sentence}`, {
      ...finer,
      status,
      retryable: RETRYABLE.has(status),
    });
  }
  throw foreignResponse(core, status, ASKER);
}

function parseObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
