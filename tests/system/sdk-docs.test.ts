import { readFileSync, readdirSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { ERROR_TABLE } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { INFO } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

/** The page's JSON blocks, in order. */
function jsonBlocks(path: string): readonly any[] {
  return [...read(path).matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) => JSON.parse(json ?? ""));
}

/** What differs from run to run, written as the page writes it. */
function masked(value: unknown): unknown {
  const json = JSON.stringify(value)
    .replaceAll(/\b(sub|wsk|wkt|app)_\w+/g, "$1_…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "TIME")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "CORE");
  return JSON.parse(json);
}

test("docs/what-is-added.md shows what really is added to a tool and to a result", async () => {
  const [tool, listed, result, answered] = jsonBlocks("docs/what-is-added.md");
  const world = closedAfterTest(await startCoreWorld());
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
  server.setRequestHandler("tools/call", async () => {
    await world.wake.currentCall().subscribe(world.crawlFinished, { job: "j1" }, { once: true });
    return result;
  });
  world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
  const link = closedAfterTest(await inMemory("2.x Server", () => server, 2));
  expect((await link.client.listTools()).tools[0]).toEqual(listed);
  expect(masked(await link.client.callTool({ name: "start_crawl", arguments: { url: "u" } }))).toEqual(masked(answered));
});

test("docs/troubleshooting.md has a part for each log code of the SDK, and a place for each error code", () => {
  const page = read("docs/troubleshooting.md");
  const sources = readdirSync(new URL("packages/sdk/src", ROOT), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => read(`packages/sdk/src/${path}`));
  const logged = sources.flatMap((source) =>
    [...source.matchAll(/level: "(warn|error)",\s*code: "(\w+)"/g)].map(([, level, code]) => `${String(code)} ${String(level)}`),
  );
  const told = [...page.matchAll(/^### (\w+)\n\nLevel `(\w+)`/gm)].map(([, code, level]) => `${String(code)} ${String(level)}`);
  expect(told.toSorted()).toEqual([...new Set(logged)].toSorted());
  expect(Object.keys(ERROR_TABLE).filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
