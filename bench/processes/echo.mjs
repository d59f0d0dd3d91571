// A TCP server that sends back what it gets, in a process of its own: the floor under every wake.
import { createServer } from "node:net";

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.pipe(socket);
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }));
process.on("disconnect", () => process.exit());
