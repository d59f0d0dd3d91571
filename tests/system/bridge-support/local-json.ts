import { request } from "node:http";

/** Longer ones are only announced: the bridge answers before it reads them, and a write that it cuts off could hide its answer. */
const SENT_BYTES = 1_000_000;

/** A request over a unix socket that reuses nothing of the bridge's own client. A string is sent as it is. */
export function localJson<T>(socketPath: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  return new Promise((resolve, reject) => {
    const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
    const bytes = Buffer.byteLength(text);
    const headers = { "content-type": "application/json", "content-length": bytes };
    const outgoing = request({ socketPath, method, path, agent: false, headers }, (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (answer += chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (bytes > SENT_BYTES) outgoing.destroy();
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) as T });
        } catch {
          reject(new Error(`no JSON: ${answer.slice(0, 200)}`));
        }
      });
    });
    outgoing.on("error", reject);
    if (bytes > SENT_BYTES) outgoing.flushHeaders();
    else outgoing.end(text);
  });
}
