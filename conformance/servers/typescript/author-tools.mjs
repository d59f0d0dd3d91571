import { z } from "zod";
import { codeOf, structured } from "./answers.mjs";

const anything = z.record(z.string(), z.unknown());

/** What the author's own tools do: emitting, ending, and telling what happened inside. */
export function registerAuthorTools({ server, app, seen, tryDefining }) {
  server.registerTool("untouched", { description: "Isn't wrapped", inputSchema: z.strictObject({ url: z.string() }) }, (args) =>
    structured({ arguments: Object.keys(args) }),
  );
  server.registerTool(
    "emit",
    {
      inputSchema: z.strictObject({
        event: z.string(),
        arguments: anything,
        payload: anything,
        to: z.union([z.string(), z.array(z.string())]).optional(),
        id: z.string().optional(),
      }),
    },
    async ({ event, arguments: args, payload, to, id }) => {
      let emitted;
      const options = { ...(to === undefined ? {} : { to }), ...(id === undefined ? {} : { id }) };
      const code = await codeOf(async () => (emitted = await app.emit(event, args, payload, options)));
      return structured({ code, ...emitted });
    },
  );
  server.registerTool(
    "end",
    { inputSchema: z.strictObject({ event: z.string().optional(), user: z.string().optional(), args: anything.optional() }) },
    async (options) => {
      let ended = 0;
      const code = await codeOf(async () => (ended = await app.end(options)));
      return structured({ code, ended });
    },
  );
  server.registerTool(
    "define",
    {
      inputSchema: z.strictObject({
        name: z.string().optional(),
        arguments: z.array(z.string()).optional(),
        personal: z.boolean().optional(),
        authorize: z.boolean().optional(),
        public: z.boolean().optional(),
      }),
    },
    (options) => structured({ code: tryDefining(options) }),
  );
  server.registerTool("log", { inputSchema: z.strictObject({}) }, () => structured({ entries: seen.log }));
  server.registerTool("notices", { inputSchema: z.strictObject({}) }, () => structured({ notices: seen.notices }));
  server.registerTool("asked", { inputSchema: z.strictObject({}) }, () => structured({ asked: seen.asked }));
}
