// One deploy of an author's stdio server, as a process of its own: `node deployment.mjs first|second [kill-moment]`. Its log is JSON on stderr.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { Wakeshift } from "@wakeshift/sdk";
import { z } from "zod";

const [version, killMoment] = process.argv.slice(2);
const DECLARED = {
  first: { "order.changed": {}, "order.paid": { public: true }, "order.packed": {} },
  second: { "order.changed": {}, "order.paid": {}, "order.refunded": { public: true } },
};

const killed = () => process.kill(process.pid, "SIGKILL");
async function dyingFetch(url, request) {
  if (!url.endsWith("/manifest")) return fetch(url, request);
  if (killMoment === "unsent") killed();
  const answer = fetch(url, request);
  if (killMoment === "under way") setTimeout(killed, Math.random() * 5);
  await answer;
  return killed();
}

const wake = new Wakeshift({
  logger: (entry) => process.stderr.write(`${JSON.stringify(entry)}\n`),
  ...(killMoment === undefined ? {} : { fetch: dyingFetch }),
});
const events = Object.fromEntries(
  Object.entries(DECLARED[version]).map(([name, openness]) => [
    name,
    wake.defineEvent(name, {
      description: "An order has changed",
      args: z.object({ order: z.string() }),
      payload: z.object({ turn: z.number() }),
      ...openness,
    }),
  ]),
);

const server = new McpServer({ name: "orders", version });
const attached = wake.attach(server);
const event = z.enum(Object.keys(events));
attached.registerTool(
  "watch",
  { inputSchema: z.object({ event }), subscribes: Object.values(events) },
  async ({ event: name }, _context, call) => {
    await call.subscribe(events[name], { order: "1" });
    return { content: [] };
  },
);
server.registerTool("emit", { inputSchema: z.object({ event, turn: z.number() }) }, async ({ event: name, turn }) => {
  const { matched } = await events[name].emit({ order: "1" }, { turn });
  return { content: [{ type: "text", text: String(matched) }] };
});

if (killMoment === undefined) await server.connect(new StdioServerTransport());
else await events["order.changed"].emit({ order: "1" }, { turn: -1 });
