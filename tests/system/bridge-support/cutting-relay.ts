import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A TCP relay whose connections a test can cut at any moment. */
export interface CuttingRelay {
  readonly url: string;
  readonly open: () => number;
  /** Where it leads to. */
  aim(port: number): void;
  /** Cuts everything that goes through it. */
  cut(): void;
}

export async function startCuttingRelay(): Promise<CuttingRelay> {
  let target = 0;
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  onTestFinished(() => {
    cut();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => sockets.size,
    aim: (port) => (target = port),
    cut,
  };
}
