import type { Server } from "node:http";
import type { CoreServices } from "../core-services.ts";
import { OpenSockets } from "./open-sockets.ts";
import { createRequestListener } from "./request-listener.ts";
import type { RequestListener } from "./request-listener.ts";

const BAD_REQUEST = JSON.stringify({ error: { code: "bad_request", message: "The request isn't HTTP this core can read." } });

/** Lets a server answer as a core, also to what is no request. */
export function serveRequests(server: Server, services: CoreServices, requestId: () => string): OpenSockets {
  const sockets = new OpenSockets(server);
  const handle = createRequestListener(services, requestId);
  const listener: RequestListener = (request, response, onAccepted) => {
    sockets.began(request.socket, response);
    handle(request, response, onAccepted);
  };
  server.on("request", (request, response) => listener(request, response));
  // What asks first (`Expect: 100-continue`) gets its refusal without having sent its body.
  server.on("checkContinue", (request, response) => listener(request, response, () => response.writeContinue()));
  server.on("connection", (socket) => socket.setKeepAlive(true, 30_000));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(BAD_REQUEST)}\r\nConnection: close\r\n\r\n${BAD_REQUEST}`,
    );
  });
  return sockets;
}
