import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A TCP relay whose connections a test can cut at any moment. */
export interface CuttingRelay {
  readonly url: string;
  /** Where it leads to. */
  aim(port: number): void;
  /** Whether a stream that this ticket opened has begun to be answered and is still open. */
  streams(ticket: string): boolean;
  /** Cuts every connection that ever carried this ticket: streams, acks and all. */
  cut(ticket: string): void;
}

interface Connection {
  readonly inner: Socket;
  readonly outer: Socket;
  /** The end of what was asked through it; whole tickets stand in a request's body, in one piece. */
  asked: string;
  isStream: boolean;
  isAnswered: boolean;
}

const KEPT = 200_000;

export async function startCuttingRelay(): Promise<CuttingRelay> {
  let target = 0;
  const connections = new Set<Connection>();
  const server = createServer((inner) => {
    const connection: Connection = { inner, outer: connect(target, "127.0.0.1"), asked: "", isStream: false, isAnswered: false };
    connections.add(connection);
    inner.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      connection.isStream ||= text.includes("/api/wakes/v1/stream");
      connection.asked = (connection.asked + text).slice(-KEPT);
    });
    connection.outer.on("data", () => (connection.isAnswered ||= connection.isStream));
    for (const [one, other] of [
      [inner, connection.outer],
      [connection.outer, inner],
    ] as const) {
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        connections.delete(connection);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const of = (ticket: string): Connection[] => [...connections].filter((connection) => connection.asked.includes(ticket));
  const cut = (ticket: string): void => of(ticket).forEach(({ inner }) => inner.destroy());
  onTestFinished(() => {
    cut("");
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    aim: (port) => (target = port),
    streams: (ticket) => of(ticket).some(({ isStream, isAnswered }) => isStream && isAnswered),
    cut,
  };
}
