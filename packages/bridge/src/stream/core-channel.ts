import { randomBytes } from "node:crypto";
import { Client, buildConnector } from "undici";
import { z } from "zod";
import { WakeshiftError } from "@wakeshift/protocol";
import type { HelloRequest } from "@wakeshift/protocol";
import { isCoreProof } from "../trust/core-secrets.ts";
import type { CoreExchange } from "./core-exchange.ts";
import { CoreRefusal } from "./core-exchange.ts";

const ANSWER_MS = 15_000;

const helloSchema = z.object({
  core: z.object({ id: z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/) }),
  proof: z.string().max(200).optional().catch(undefined),
});

/** What answers where a core was noted on this machine, and can't prove to be that core. Nothing but the question was sent to it. */
export class UnprovenCore extends WakeshiftError {
  constructor(base: string) {
    super("bad_response", `what answers at ${base} can't prove that it is the core started on this machine; nothing was sent to it`, {
      retryable: true,
    });
  }
}

/**
 * Asks who answers, before anything of value is sent.
 *
 * @param secret - what the core was noted with on this machine; `undefined`: none was, and its word is taken.
 * @returns the core's id; `undefined` for one from before cores had ids.
 * @throws UnprovenCore, CoreRefusal
 */
export async function introduce(exchange: CoreExchange, secret: string | undefined, signal: AbortSignal): Promise<string | undefined> {
  const { base } = exchange;
  const request: HelloRequest = { nonce: randomBytes(32).toString("base64url"), address: base };
  let answer: unknown;
  try {
    answer = await exchange.post("/hello", request, ANSWER_MS, signal);
  } catch (error) {
    // An older core says in its own words that it has no such path.
    if (!(error instanceof CoreRefusal) || error.status !== 404 || error.code === "bad_response") throw error;
    if (secret !== undefined) throw new UnprovenCore(base);
    return undefined;
  }
  const hello = helloSchema.safeParse(answer);
  if (secret !== undefined && !(hello.success && isCoreProof(secret, request, hello.data.core.id, hello.data.proof))) {
    throw new UnprovenCore(base);
  }
  if (hello.success) return hello.data.core.id;
  throw new WakeshiftError("bad_response", `${base} doesn't say which core it is. Is it the right address?`, { retryable: true });
}

/**
 * A client that connects once: what was learned of whoever answered holds for everything that goes over it. Reconnecting in
 * silence, as a pool does, could reach another program that listens there by now.
 */
export function connectOnce(origin: string, options: Client.Options & { readonly connect: buildConnector.BuildOptions }): Client {
  const connect = buildConnector(options.connect);
  let connected = false;
  return new Client(origin, {
    ...options,
    connect: (target, callback) => {
      if (connected) {
        callback(new Error("the connection is gone"), null);
        return;
      }
      connected = true;
      connect(target, callback);
    },
  });
}
