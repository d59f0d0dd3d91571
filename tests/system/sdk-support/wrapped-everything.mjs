// The reference server "everything", whose tools its own authors registered, with Wakeshift attached to it in process:
// `node wrapped-everything.mjs`. One server a session, over Streamable HTTP on a free port of loopback, which it prints.
import { randomUUID } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createServer } from "@modelcontextprotocol/server-everything/dist/server/index.js";
import { Wakeshift } from "@wakeshift/sdk";
import { z } from "zod";

const wake = new Wakeshift();
const messageAnswered = wake.defineEvent("message.answered", {
  description: "Someone answered a message",
  args: z.object({ message: z.string() }),
  payload: z.object({ answer: z.string() }),
});
const weatherChanged = wake.defineEvent("weather.changed", {
  description: "The weather of a city changed",
  args: z.object({ location: z.string() }),
  payload: z.object({ conditions: z.string() }),
});
const subscribes = {
  echo: (args) => wake.currentCall().subscribe(messageAnswered, { message: args.message }, { once: true }),
  "get-structured-content": (args) => wake.currentCall().subscribe(weatherChanged, { location: args.location }),
};

function makeServer() {
  const { server, cleanup } = createServer();
  // The one place every call passes: what runs the tools is the server's own handler, put behind ours.
  const run = server.server._requestHandlers.get("tools/call");
  server.server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    await subscribes[request.params.name]?.(request.params.arguments);
    return run(request, extra);
  });
  wake.attach(server, { wrap: { echo: [messageAnswered], "get-structured-content": [weatherChanged] } });
  return { server, cleanup };
}

const sessions = new Map();
const http = createHttpServer(async (request, response) => {
  const known = sessions.get(request.headers["mcp-session-id"]);
  if (known !== undefined) return known.handleRequest(request, response);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await makeServer().server.connect(transport);
  return transport.handleRequest(request, response);
});
http.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${http.address().port}/mcp`));
