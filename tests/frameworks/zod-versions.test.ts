import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Server } from "@modelcontextprotocol/server";
import { Wakeshift } from "@wakeshift/sdk";
import { testingCore } from "@wakeshift/sdk/testing";
import { expect, test } from "vitest";
import { closedAfterTest } from "../system/sdk-support/closed-after-test.ts";
import { inMemory } from "../system/sdk-support/links.ts";
import { frameworkModules } from "./support/frameworks.ts";

const load = (...path: readonly string[]): Promise<any> => import(pathToFileURL(join(frameworkModules("zod"), ...path)).href);

function define(z: any) {
  const core = testingCore();
  const wake = new Wakeshift({ ...core.options });
  const crawlFinished = wake.defineEvent("crawl.finished", {
    description: "A crawl finished",
    args: z.object({ job: z.string() }),
    payload: z.object({ pages: z.number() }),
  });
  return { core, wake, crawlFinished };
}

test.each([
  ["3.24", "zod-3-24", "lib/index.mjs"],
  ["3.25", "zod-3-25", "index.js"],
  ["3.25 (zod/v4)", "zod-3-25", "v4/index.js"],
  ["4", "zod", "index.js"],
  ["4 (zod/mini)", "zod", "mini/index.js"],
])("an event described by zod %s is subscribed to, checked and delivered", async (_name, folder, file) => {
  const { z } = await load(folder, file);
  const { core, wake, crawlFinished } = define(z);
  const server = new Server({ name: "crawler", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "start_crawl", inputSchema: { type: "object" as const } }] }));
  server.setRequestHandler("tools/call", async (request) => {
    await wake.currentCall().subscribe(crawlFinished, request.params.arguments as never, { once: true });
    return { content: [{ type: "text" as const, text: "started" }] };
  });
  wake.attach(server, { wrap: { start_crawl: [crawlFinished] } });
  const { client } = closedAfterTest(await inMemory("2.x Server", () => server, 2));
  await expect(client.callTool({ name: "start_crawl", arguments: { job: 1 } })).rejects.toThrow(/job/);
  await client.callTool({ name: "start_crawl", arguments: { job: "j1" } });
  await expect(crawlFinished.emit({ job: "j1" }, { pages: "many" })).rejects.toMatchObject({ code: "bad_payload" });
  await crawlFinished.emit({ job: "j1" }, { pages: 3 });
  expect(await core.wake(crawlFinished)).toMatchObject({ arguments: { job: "j1" }, payload: { pages: 3 } });
});

test("an event described by zod 3.23 is refused with the version that is needed", async () => {
  const { z } = await load("zod-3-23", "lib", "index.mjs");
  const refused = expect.objectContaining({ code: "bad_event", message: expect.stringContaining("3.24") });
  expect(() => define(z)).toThrow(refused);
});
