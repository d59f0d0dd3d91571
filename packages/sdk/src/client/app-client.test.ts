import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createAppClient } from "./app-client.ts";

function endless(): object {
  const body: Record<string, unknown> = {};
  body["in"] = body;
  return body;
}

function deep(): object {
  let body: object = {};
  for (let level = 0; level < 50_000; level += 1) body = { in: body };
  return body;
}

test.each([
  ["holds itself", endless()],
  ["is 50,000 levels deep", deep()],
  ["holds a bigint", { a: 1n }],
])("a request that %s is a bad_request, not a core that is away, and isn't sent", async (_what, body) => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const core = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const identity = { assertion: (): Promise<string> => Promise.resolve("unread") };
  const client = createAppClient({ core, identity, monotonic: () => performance.now(), fetch });
  await expect(client.send("POST", "/x", body, performance.now() + 5_000)).rejects.toMatchObject({ code: "bad_request" });
  expect(requests).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});
