import { fromJsonSchema } from "@modelcontextprotocol/server";
import { z } from "zod";
import { structured, text } from "./answers.mjs";

const closed = { type: "object", properties: { job: { type: "string" } }, required: ["job"], additionalProperties: false };
/** Output schemas that take no further field, each said in another way. */
const OUTPUTS = {
  closed_output: closed,
  all_of_output: { type: "object", allOf: [closed, { ...closed, required: [] }] },
  ref_output: { type: "object", $ref: "#/$defs/answer", $defs: { answer: closed } },
};
/** What a generator would make of a description of an API. */
const OPERATIONS = [
  { name: "generated_crawl", watches: true },
  { name: "generated_status", watches: false },
];

/** Tools the attachment never registered: they are named in `wrap`, or in nothing. */
export function registerForeignTools({ server, wake, events }) {
  for (const [name, schema] of Object.entries(OUTPUTS)) {
    server.registerTool(
      name,
      {
        inputSchema: z.strictObject({ job: z.string(), then: z.enum(["subscribe", "nothing", "is_error"]) }),
        outputSchema: fromJsonSchema(schema),
      },
      async ({ job, then }) => {
        if (then !== "nothing") await wake.currentCall().subscribe(events.crawlFinished, { job });
        return then === "is_error" ? { ...text("it can't be done"), isError: true } : structured({ job });
      },
    );
  }
  server.registerTool("relay", { inputSchema: z.strictObject({ job: z.string() }) }, async ({ job }, context) => {
    const { _meta: meta = {} } = context.mcpReq;
    for (const progress of [1, 2])
      await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken: meta.progressToken, progress, total: 2 } });
    await wake.currentCall().subscribe(events.crawlFinished, { job });
    return { ...structured({ meta }), _meta: { "example.com/own": { job } } };
  });
  for (const { name, watches } of OPERATIONS)
    server.registerTool(name, { inputSchema: z.strictObject({ job: z.string() }) }, ({ job }) =>
      dispatch({ wake, event: watches ? events.crawlFinished : undefined, job }),
    );
}

/** Where every operation of the catalog passes through. The work comes first, so what it emitted is looked for after it. */
async function dispatch({ wake, event, job }) {
  if (event === undefined) return structured({ job });
  await event.emit({ job }, { status: "quick" });
  await wake.currentCall().subscribe(event, { job }, { replay: "10m", once: true });
  return structured({ job });
}

/** `--own-names`: a tool named like one of Wakeshift's, and one that is there only once it is asked for. */
export function registerOwnNames({ server, wake, events }) {
  server.registerTool("list_subscriptions", { inputSchema: z.strictObject({}) }, () => structured({ mine: true }));
  server.registerTool("add_late", { inputSchema: z.strictObject({}) }, () => {
    server.registerTool("late_crawl", { description: "Late", inputSchema: z.strictObject({ job: z.string() }) }, async ({ job }) => {
      await wake.currentCall().subscribe(events.crawlFinished, { job });
      return structured({ job });
    });
    return text("added");
  });
}
