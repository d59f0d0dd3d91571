import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The connections of a server, with what runs on each. Node itself takes a connection that never sent anything for a busy one, and
 * would wait for it at shutdown.
 */
export class OpenSockets {
  readonly #running = new Map<Socket, number>();

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#running.set(socket, 0);
      socket.once("close", () => this.#running.delete(socket));
    });
  }

  /** Counts a request until its response is closed. */
  began(socket: Socket, response: ServerResponse): void {
    this.#add(socket, 1);
    response.once("close", () => this.#add(socket, -1));
  }

  /** Closes the connections on which nothing runs. */
  closeIdle(): void {
    for (const [socket, running] of this.#running) if (running === 0) socket.destroySoon();
  }

  #add(socket: Socket, change: number): void {
    const running = this.#running.get(socket);
    if (running !== undefined) this.#running.set(socket, running + change);
  }
}
