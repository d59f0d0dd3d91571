import { connect } from "node:net";
import { once } from "node:events";
import { within } from "./within.mjs";

/**
 * Opens one kept connection for a series of POST requests to `url`. They are prepared before they are sent, so that the sender's own
 * work is not part of the latency. A server closes a connection that was idle for some seconds, so a series opens its own and closes it.
 * @param {string} url
 */
export async function openKeptPost(url) {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await within(`a connection to ${host}`, once(socket, "connect"));
  const closed = new Promise((_, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${host} closed the connection of the bench's emits`)));
  });
  closed.catch(() => undefined);
  socket.setEncoding("utf8");
  return {
    /** @param {string} authorization @param {unknown} body @returns {string} what `send` takes */
    prepare: (authorization, body) => {
      const text = JSON.stringify(body);
      const head = [
        `POST ${pathname} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: ${authorization}`,
        "Content-Type: application/json",
        `Content-Length: ${Buffer.byteLength(text)}`,
      ];
      return `${head.join("\r\n")}\r\n\r\n${text}`;
    },
    /** Resolves once the response is read. Rejects if it is not a success, or the connection closes before. @param {string} request */
    send: (request) => Promise.race([closed, respond(socket, request)]),
    close: () => socket.destroy(),
  };
}

function respond(socket, request) {
  return new Promise((resolve, reject) => {
    let answer = "";
    socket.on("data", function onData(chunk) {
      answer += chunk;
      // An emit's response is one flat object.
      if (!answer.endsWith("}")) return;
      socket.off("data", onData);
      if (answer.startsWith("HTTP/1.1 2")) resolve(undefined);
      else reject(new Error(`an emit was answered ${answer.slice(0, 300)}`));
    });
    socket.write(request);
  });
}
