import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What an inspecting proxy does with a response: hands it on only once it is complete; or its head at once, and the body then. */
export type Holding = "whole" | "body" | "nothing";

/** An HTTP relay in front of a core. */
export interface HoldingRelay {
  readonly url: string;
  /** From the next request on. */
  hold(what: Holding): void;
}

/** Starts a relay that leads to `target`. It gives up a request that its asker has left, as proxies do. */
export async function startHoldingRelay(target: string, first: Holding): Promise<HoldingRelay> {
  let holding = first;
  const server = createServer((inner, answer) => {
    const held = holding;
    const { url = "/", method, headers } = inner;
    const outer = request(new URL(url, target), { method, headers: { ...headers, host: new URL(target).host } }, (response) => {
      const { statusCode = 502, headers: head } = response;
      const chunks: Buffer[] = [];
      if (held !== "whole") answer.writeHead(statusCode, head).flushHeaders();
      response.on("error", () => answer.destroy());
      response.on("data", (chunk: Buffer) => void (held === "nothing" ? answer.write(chunk) : chunks.push(chunk)));
      response.on("end", () => {
        if (held === "whole") answer.writeHead(statusCode, head);
        answer.end(Buffer.concat(chunks));
      });
    });
    outer.on("error", () => answer.destroy());
    answer.on("close", () => outer.destroy());
    inner.pipe(outer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hold: (what) => (holding = what) };
}
