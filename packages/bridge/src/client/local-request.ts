import { request } from "node:http";
import { WakeshiftError, isErrorCode } from "@wakeshift/protocol";
import type { BridgeHome } from "../home.ts";
import { assertOwnSocket } from "./assert-own-socket.ts";

export interface LocalRequest {
  readonly method: "GET" | "POST";
  /** Such as `/v1/report`. */
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

const ANSWER_BYTES = 16_777_216;

/**
 * One request to the bridge over its socket, once that is known to be this user's. Uses Node's own HTTP client, which costs a hook nothing to load.
 *
 * @throws WakeshiftError `unreachable` if nobody listens or the answer doesn't come; `internal` if another user may have put the socket
 * there; else the bridge's own code.
 */
export async function requestLocally(home: BridgeHome, options: LocalRequest): Promise<unknown> {
  assertOwnSocket(home);
  const { method, path, body, timeoutMs, signal } = options;
  return await new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = {
      ...options.headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      host: "wakeshift",
    };
    const fail = (error: Error): void =>
      reject(new WakeshiftError("unreachable", `The bridge doesn't answer: ${error.message}.`, { cause: error }));
    const outgoing = request(
      { socketPath: home.socket, method, path, headers, agent: false, ...(signal === undefined ? {} : { signal }) },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("error", fail);
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > ANSWER_BYTES) outgoing.destroy(new Error("its answer is too long"));
          else chunks.push(chunk);
        });
        response.on("end", () => {
          clearTimeout(timer);
          settle(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"), resolve, reject);
        });
      },
    );
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    outgoing.on("error", (error) => {
      clearTimeout(timer);
      fail(error);
    });
    outgoing.end(text);
  });
}

function settle(status: number, text: string, resolve: (value: unknown) => void, reject: (error: Error) => void): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    reject(new WakeshiftError("bad_response", `The bridge answered ${status} with something that is no JSON.`));
    return;
  }
  if (status >= 200 && status <= 299) {
    resolve(value);
    return;
  }
  const error = (value as { error?: { code?: unknown; message?: unknown } } | null)?.error;
  const code = isErrorCode(error?.code) ? error.code : "bad_response";
  reject(new WakeshiftError(code, typeof error?.message === "string" ? error.message : `The bridge answered ${status}.`, { status }));
}
