import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { LIMITS, WakeshiftError } from "@wakeshift/protocol";

/** The asker left before its request was whole. There is nobody to answer. */
export class AskerLeft extends Error {}

/**
 * Reads a request's body, and stops at the limit.
 *
 * @throws WakeshiftError `payload_too_large`, `bad_request`
 * @throws AskerLeft
 */
export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    if (request.headers["content-encoding"] !== undefined) {
      reject(new WakeshiftError("bad_request", "The body is packed (Content-Encoding); send it as plain JSON.", { status: 415 }));
      return;
    }
    const letGo = (): void => void request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
    const stop = (error: Error): void => {
      letGo();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > LIMITS.requestBytes) stop(tooLarge());
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      letGo();
      const [first] = chunks;
      const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes);
      if (isUtf8(body)) resolve(body.toString("utf8"));
      else reject(new WakeshiftError("bad_request", "The body isn't UTF-8."));
    };
    const onClose = (): void => stop(new AskerLeft("the asker left"));
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

/** The refusal of a body beyond the limit. */
export function tooLarge(): WakeshiftError {
  return new WakeshiftError("payload_too_large", `The request's body is larger than ${LIMITS.requestBytes} bytes.`);
}
