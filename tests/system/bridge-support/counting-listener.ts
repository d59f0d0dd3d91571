import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A TCP port that counts who connects, and says nothing. */
export async function countConnections(): Promise<{ readonly url: string; readonly connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => count };
}
