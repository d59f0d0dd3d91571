// An opencode process for the cuts' tests: loads the plugin that set-up put there, if any, ends a tool call with this `_meta`, and prints
// each prompt that the plugin gives it.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , plugin, meta] = process.argv;
setInterval(() => undefined, 60_000);
if (existsSync(plugin)) {
  const { Wakeshift } = await import(pathToFileURL(plugin).href);
  const session = {
    get: async () => ({ data: {} }),
    list: async () => ({ data: [] }),
    messages: async () => ({ data: [] }),
    promptAsync: async ({ body }) => {
      for (const { text } of body.parts) console.log(text);
      return { data: {} };
    },
  };
  const hooks = await Wakeshift({ client: { session } });
  await hooks["tool.execute.after"]({ tool: "crawler_start_crawl", sessionID: "ses_1", callID: "call_1" }, { _meta: JSON.parse(meta) });
}
