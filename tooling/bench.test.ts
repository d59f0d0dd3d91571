import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openKeptPost } from "../bench/kept-post.mjs";
import { within } from "../bench/within.mjs";

/** A server that closes a connection after it was idle for 20 ms. */
async function openServer(): Promise<{ readonly url: string; readonly connected: () => Promise<Socket> }> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}"));
  });
  server.keepAliveTimeout = 20;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const connected = async (): Promise<Socket> => ((await once(server, "connection")) as [Socket])[0];
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/emit`, connected };
}

test("an emit of the bench whose kept connection the server has closed fails at once instead of waiting, and the next series goes through", async () => {
  const { url, connected } = await openServer();
  const connection = connected();
  const series = await openKeptPost(url);
  await series.send(series.prepare("Bearer x", {}));
  const socket = await connection;
  if (!socket.closed) await once(socket, "close");
  await expect(within("the emit", series.send(series.prepare("Bearer x", {})), 5_000)).rejects.toThrow(
    /closed the connection|ECONNRESET|EPIPE/,
  );

  const next = await openKeptPost(url);
  await next.send(next.prepare("Bearer x", {}));
  next.close();
});

test("a wait of the bench ends at its limit, and says what it was for", async () => {
  await expect(within("a message of the load process", new Promise(() => undefined), 10)).rejects.toThrow(
    "the bench waited 0.01 s for a message of the load process",
  );
  expect(await within("a message", Promise.resolve("here"), 10)).toBe("here");
});
