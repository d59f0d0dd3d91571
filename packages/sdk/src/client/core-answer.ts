import { WakeshiftError, isErrorCode, redactSecrets } from "@wakeshift/protocol";

/**
 * Reads a core's answer. Only a JSON object with a 2xx status is one.
 * @throws WakeshiftError with the core's own code, or `bad_response` where it isn't the core that answered
 */
export function readCoreAnswer(status: number, body: string, path: string): Readonly<Record<string, unknown>> {
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
    });
  }
  throw new WakeshiftError(
    "bad_response",
    `${path} was answered with status ${String(status)} and a body that isn't a core's. Is WAKESHIFT_CORE the core's own URL, with nothing in between?`,
  );
}

function parseObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
