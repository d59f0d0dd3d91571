// The "everything" server of conformance/README.md on @wakeshift/sdk: `node server.mjs [--stdio] [--require-user] [--unattached]`.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { defineEvents, defineOpenness } from "./events.mjs";
import { registerAuthorTools, registerSubscribingTools } from "./tools.mjs";
import { Wakeshift } from "@wakeshift/sdk";

const flags = new Set(process.argv.slice(2));
const log = [];
const notices = [];
const wake = new Wakeshift({
  logger: ({ level, code, message, ...rest }) => log.push({ level, code, message, ...rest }),
});
const events = defineEvents(wake);
/** Names the one token of each user there is: what a sign-in would have handed out. */
const USERS = new Map(["ada", "bob"].map((user) => [`token-of-${user}`, user]));

function makeServer() {
  const server = new McpServer({ name: "everything", version: "1.0.0" });
  // What a check must notice: the same tools, and no Wakeshift behind them.
  const attached = flags.has("--unattached") ? unattached(server) : wake.attach(server, attachOptions());
  registerSubscribingTools({ server, attached, wake, events });
  registerAuthorTools({ server, wake, events, log, notices, define: (options) => defineOpenness(options) });
  return server;
}

function attachOptions() {
  return {
    identify: (context) => ({ user: USERS.get(context.http?.authInfo?.token) }),
    requireUser: flags.has("--require-user"),
    wrap: {
      start_text: [events.crawlFinished],
      undeclared: [events.newsPosted],
      no_events: [],
      own_session_key: [events.crawlFinished],
      own_harness: [events.crawlFinished],
      own_conversation_id: [events.crawlFinished],
      own_output: [events.crawlFinished],
      never_listed: [events.crawlFinished],
    },
    onSubscribe: ({ event, id, args, user, via, tool, native, context }) =>
      notices.push({ event, id, args, user, via, tool, native, context }),
  };
}

function unattached(server) {
  const call = { subscribe: async () => ({ state: "subscribed" }), unsubscribe: async () => false };
  return {
    registerTool: (name, { subscribes: _subscribes, ...config }, handler) =>
      server.registerTool(name, config, (args, context) => handler(args, context, call)),
  };
}

if (flags.has("--stdio")) {
  await makeServer().connect(new StdioServerTransport());
} else {
  const handler = toNodeHandler(createMcpHandler(makeServer));
  const http = createServer((request, response) => {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (token !== undefined && !USERS.has(token)) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return;
    }
    if (token !== undefined) request.auth = { token, clientId: "everything", scopes: [] };
    void handler(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` })));
}
