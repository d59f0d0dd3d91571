import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a relay that hands a core's answers on one byte at a time, each in a segment of its own. Gives its port. */
export async function startCuttingRelay(corePort: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const core = connect(corePort, "127.0.0.1");
    for (const socket of [client, core]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.pipe(core);
    let sending = Promise.resolve();
    core.on("data", (chunk) => {
      sending = sending.then(async () => {
        for (const byte of chunk) {
          if (client.destroyed) return;
          client.write(Buffer.of(byte));
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
    });
    core.on("end", () => void sending.then(() => client.end()));
    client.on("close", () => core.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
