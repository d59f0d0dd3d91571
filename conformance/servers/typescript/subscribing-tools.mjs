import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { codeOf, structured, text } from "./answers.mjs";

/** The tools that subscribe: some through the attachment, some named in `wrap`. Their answers differ as little as they can. */
export function registerSubscribingTools({ server, attached, wake, events }) {
  attached.registerTool(
    "start_crawl",
    {
      description: "Start a crawl",
      inputSchema: z.strictObject({
        job: z.string(),
        event: z.enum(["crawl.finished", "crawl.failed"]).default("crawl.finished"),
        site: z.string().optional(),
        once: z.boolean().optional(),
        ttl: z.string().optional(),
        replay: z.string().optional(),
        pause_ms: z.number().optional(),
        then: z.enum(["ok", "throw", "is_error", "bad_output", "wait", "error_field"]).default("ok"),
      }),
      outputSchema: z.object({ job: z.string(), arguments: z.array(z.string()), state: z.string(), error: z.string().optional() }),
      subscribes: [events.crawlFinished, events.crawlFailed],
    },
    async (args, context, call) => {
      const { job, event, site, once: onlyOnce, ttl, replay, pause_ms: pauseMs = 0, then } = args;
      const options = { ...(onlyOnce ? { once: true } : {}), ...(ttl ? { ttl } : {}), ...(replay ? { replay } : {}), context: job };
      if (pauseMs > 0) await setTimeout(pauseMs);
      const { state } =
        event === "crawl.failed"
          ? await call.subscribe(events.crawlFailed, { job }, options)
          : await call.subscribe(events.crawlFinished, { job, ...(site === undefined ? {} : { site }) }, options);
      if (pauseMs > 0) await setTimeout(pauseMs);
      if (then === "throw") throw new Error("the crawl can't start");
      if (then === "is_error") return { ...text("the crawl can't start"), isError: true };
      if (then === "bad_output") return structured({ job: 5 });
      if (then === "wait") await once(context.mcpReq.signal, "abort");
      return structured({ job, arguments: Object.keys(args).sort(), state, ...(then === "error_field" ? { error: "slow" } : {}) });
    },
  );
  server.registerTool(
    "start_text",
    { description: "Start a crawl, answered in text.", inputSchema: z.strictObject({ job: z.string() }) },
    async ({ job }, context) => {
      await later(() => wake.currentCall(context).subscribe(events.crawlFinished, { job }));
      return { ...text("started"), _meta: { "example.com/own": job } };
    },
  );
  server.registerTool("undeclared", { description: "Tries.", inputSchema: z.strictObject({ job: z.string() }) }, async ({ job }) =>
    structured({ code: await codeOf(() => wake.currentCall().subscribe(events.crawlFinished, { job })) }),
  );
  server.registerTool("no_events", { description: "Declares no event", inputSchema: z.strictObject({}) }, () => text("ok"));
  for (const name of ["session_key", "harness", "conversation_id"]) {
    server.registerTool(
      `own_${name}`,
      { description: "Has one of the names.", inputSchema: z.strictObject({ [name]: z.string() }) },
      async (args) =>
        structured({ got: args[name], code: await codeOf(() => wake.currentCall().subscribe(events.crawlFinished, { job: "own" })) }),
    );
  }
  server.registerTool(
    "own_output",
    { description: "Has the field.", inputSchema: z.strictObject({}), outputSchema: z.object({ wakeshift: z.string() }) },
    () => structured({ wakeshift: "the author's" }),
  );
  attached.registerTool(
    "take_seat",
    { inputSchema: z.strictObject({ table: z.string() }), subscribes: [events.gameTurn] },
    async ({ table }, _context, call) => structured(await outcome(() => call.subscribe(events.gameTurn, { table }))),
  );
  attached.registerTool(
    "watch_repo",
    { inputSchema: z.strictObject({ repo: z.string() }), subscribes: [events.ciFinished] },
    async ({ repo }, _context, call) => structured(await outcome(() => call.subscribe(events.ciFinished, { repo }))),
  );
}

async function outcome(subscribe) {
  let subscription = {};
  const code = await codeOf(async () => (subscription = await subscribe()));
  return { code, state: subscription.state ?? "", reason: subscription.reason ?? "" };
}

/** Out of the handler's async chain, as a callback queue is. */
function later(work) {
  return new Promise((resolve, reject) => {
    queue.push(() => Promise.resolve().then(work).then(resolve, reject));
  });
}
const queue = [];
setInterval(() => {
  for (const work of queue.splice(0)) work();
}, 2).unref();
