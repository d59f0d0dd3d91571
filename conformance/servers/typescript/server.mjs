// The "everything" server of conformance/README.md on @wakeshift/sdk: `node server.mjs [--stdio|--sessions] [FLAG …] [--unattached]`.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Wakeshift } from "@wakeshift/sdk";
import { registerAuthorTools } from "./author-tools.mjs";
import { defineEvents, tryDefining, userOf } from "./events.mjs";
import { registerForeignTools, registerOwnNames } from "./foreign-tools.mjs";
import { registerSubscribingTools } from "./subscribing-tools.mjs";

const flags = new Set(process.argv.slice(2));
const seen = { log: [], notices: [], asked: [] };
const wake = new Wakeshift({
  logger: ({ level, code, message, ...rest }) => seen.log.push({ level, code, message, ...rest }),
});
const events = defineEvents(wake, { asked: seen.asked, reopened: flags.has("--reopened") });
/** Verified tokens behind which nobody can be seen: what `identify` makes of each. */
const NOBODY = new Map([
  ["token-as-empty", () => ({ user: "" })],
  ["token-as-blank", () => ({ user: " " })],
  ["token-as-null", () => ({ user: null })],
  ["token-as-number", () => ({ user: 0 })],
  [
    "token-as-error",
    () => {
      throw new TypeError("the sign-in is away");
    },
  ],
]);

function makeServer() {
  const ownNames = flags.has("--own-names");
  const server = new McpServer(
    { name: "everything", version: "1.0.0" },
    ownNames ? { capabilities: { tools: { listChanged: false } } } : {},
  );
  // What a check must notice: the same tools, and no Wakeshift behind them.
  const attached = flags.has("--unattached") ? unattached(server) : wake.attach(server, attachOptions(ownNames));
  const app = flags.has("--unattached") ? silent : speaking;
  registerSubscribingTools({ server, attached, wake, events });
  registerForeignTools({ server, wake, events });
  registerAuthorTools({ server, app, seen, tryDefining });
  if (ownNames) registerOwnNames({ server, wake, events });
  return server;
}

function attachOptions(ownNames) {
  const crawl = [events.crawlFinished];
  return {
    identify: (context) => identify(context.http?.authInfo?.token),
    requireUser: flags.has("--require-user"),
    wrap: {
      start_text: crawl,
      undeclared: [events.newsPosted],
      no_events: [],
      own_session_key: crawl,
      own_harness: crawl,
      own_conversation_id: crawl,
      own_output: crawl,
      closed_output: crawl,
      all_of_output: crawl,
      ref_output: crawl,
      relay: crawl,
      generated_crawl: crawl,
      never_listed: crawl,
      ...(ownNames ? { late_crawl: crawl } : {}),
    },
    onSubscribe: ({ event, id, args, user, via, tool, native, context }) =>
      seen.notices.push({ event, id, args, user, via, tool, native, context }),
  };
}

function identify(token) {
  const nobody = NOBODY.get(token);
  if (nobody !== undefined) return nobody();
  const [, client] = /\.by-(.+)$/.exec(token ?? "") ?? [];
  return { user: userOf(token), ...(client === undefined ? {} : { client: decodeURIComponent(client) }) };
}

/** What the author's own code asks of Wakeshift, and what is left of it without. */
const speaking = {
  emit: (name, args, payload, options) =>
    Object.values(events)
      .find((event) => event.name === name)
      .emit(args, payload, options),
  end: (options) => wake.end(options),
};
const silent = { emit: async () => ({ id: "", matched: 0, duplicate: false }), end: async () => 0 };

function unattached(server) {
  const call = { subscribe: async () => ({ state: "subscribed" }), unsubscribe: async () => false };
  return {
    registerTool: (name, { subscribes: _subscribes, ...config }, handler) =>
      server.registerTool(name, config, (args, context) => handler(args, context, call)),
  };
}

/** One server for each session, which lives as long. */
function sessions() {
  const byId = new Map();
  return async (request, response) => {
    const known = byId.get(request.headers["mcp-session-id"]);
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => byId.set(id, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request, response);
  };
}

if (flags.has("--stdio")) {
  serveStdio(makeServer);
} else {
  const handler = flags.has("--sessions") ? sessions() : toNodeHandler(createMcpHandler(makeServer));
  const http = createServer((request, response) => {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (token !== undefined && userOf(token) === undefined && !NOBODY.has(token)) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return;
    }
    if (token !== undefined) request.auth = { token, clientId: "everything", scopes: [] };
    void handler(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` })));
}
