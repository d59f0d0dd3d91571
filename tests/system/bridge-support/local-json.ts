import { request } from "node:http";

/** A request over a unix socket that reuses nothing of the bridge's own client. A string is sent as it is. */
export function localJson<T>(socketPath: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  return new Promise((resolve, reject) => {
    const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
    const outgoing = request({ socketPath, method, path, agent: false, headers: { "content-type": "application/json" } }, (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (answer += chunk));
      response.on("error", reject);
      response.on("end", () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) as T });
        } catch {
          reject(new Error(`no JSON: ${answer.slice(0, 200)}`));
        }
      });
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}
