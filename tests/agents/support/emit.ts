import { createHash, createPrivateKey, createPublicKey, randomUUID, sign } from "node:crypto";
import { parseAppKey } from "@wakeshift/protocol";
import type { EmitAnswer, EmitRequest as EmitCall } from "@wakeshift/protocol";

/** As an app emits; without an event's name it is `crawl.finished`. */
export interface EmitRequest extends Omit<EmitCall, "name" | "arguments"> {
  readonly event?: string;
  readonly args: EmitCall["arguments"];
}

/** Emits straight through the app API, so that a test controls every field (`text` too) and no process start blurs the latency. */
export async function emitTo(core: string, key: string, request: EmitRequest): Promise<EmitAnswer> {
  const { event = "crawl.finished", args, ...rest } = request;
  const response = await fetch(`${core}/api/apps/v1/events/emit`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${assertion(core, key)}` },
    body: JSON.stringify({ name: event, arguments: args, text: "A crawl finished", ...rest }),
  });
  const answer = (await response.json()) as EmitAnswer & { error?: unknown };
  if (!response.ok) throw new Error(`emit answered ${response.status}: ${JSON.stringify(answer.error)}`);
  return answer;
}

/** The two-minute signed assertion of an app key. */
function assertion(core: string, key: string): string {
  const seed = Buffer.from(parseAppKey(key));
  const privateKey = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
  const kid = createHash("sha256").update(publicKey).digest().subarray(0, 16).toString("base64url");
  const iat = Math.floor(Date.now() / 1000);
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "EdDSA", typ: "app+jwt", kid })}.${part({ iss: kid, sub: kid, aud: `${core}/api/apps`, iat, exp: iat + 120, jti: randomUUID() })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
}
