import { type FileReader, type HookPlan, PROGRAM_REGISTRY } from "@wakeshift/programs";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";

const SESSION = "01a229bd-5d15-7280-9a2d-93e9240c8460";
const filesWith = (text: string): FileReader => ({ readTail: () => text, exists: () => true });

async function readHook(program: string, event: string, input: object, transcript: string): Promise<HookPlan> {
  const found = PROGRAM_REGISTRY.find((each) => each.name === program);
  if (found === undefined) throw new Error(`no program ${program}`);
  const env = { HOME: "/home/user", CLAUDE_CODE_SESSION_ATTENDED: "1", CLAUDE_CODE_ENTRYPOINT: "cli" };
  return found.readHook(event, { session_id: SESSION, cwd: "/", transcript_path: "/t.jsonl", ...input }, env, filesWith(transcript));
}

/** What each program's own hook is given of a tool's result, as captured from it. */
const HOOKS: Readonly<Record<string, (result: any) => Promise<HookPlan>>> = {
  codex: (result) =>
    readHook("codex", "PostToolUse", { tool_name: "mcp__crawler__start_crawl", tool_use_id: "call_1", tool_response: result }, ""),
  "claude-code": (result) => {
    const { _meta, structuredContent, content } = result;
    const call = { type: "assistant", message: { content: [{ type: "tool_use", id: "toolu_1", name: "mcp__crawler__start_crawl" }] } };
    const answer = {
      type: "user",
      message: { content: [{ tool_use_id: "toolu_1", type: "tool_result", content }] },
      mcpMeta: { ...(_meta === undefined ? {} : { _meta }), structuredContent },
    };
    const input = {
      hook_event_name: "PostToolUse",
      tool_name: "mcp__crawler__start_crawl",
      tool_use_id: "toolu_1",
      tool_response: content,
    };
    return readHook("claude-code", "PostToolUse", input, `${JSON.stringify(call)}\n${JSON.stringify(answer)}\n`);
  },
};

/** A subscribed call's result, as the server sent it. */
async function subscribed() {
  const world = closedAfterTest(await startCoreWorld());
  const server = makeHost("2.x McpServer", [
    {
      name: "start_crawl",
      output: z.object({ job: z.string() }),
      run: async () => {
        await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
        return { content: [{ type: "text", text: "started" }], structuredContent: { job: "1" } };
      },
    },
  ]);
  world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
  const link = closedAfterTest(await inMemory("2.x McpServer", () => server, 2));
  return { world, result: await link.client.callTool({ name: "start_crawl", arguments: {} }) };
}

const ticketsIn = (plan: HookPlan): string[] => JSON.stringify(plan.report?.results ?? []).match(/wkt_\w+/g) ?? [];

describe.each(Object.entries(HOOKS))("%s", (_program, hook) => {
  test("reads a result's `_meta` only: where a layer drops it, it hands nothing on and nobody says so (seed-151, seed-152, seed-153, seed-154)", async () => {
    const { world, result } = await subscribed();
    const { ticket } = result._meta[SUBSCRIPTION_META_KEY][0];
    expect(ticketsIn(await hook(result))).toEqual([ticket]);

    // What a gateway keeps that knows content and structured content only. All that a model reads is still there.
    const { _meta: _dropped, ...rebuilt } = result;
    expect(JSON.stringify(rebuilt)).toContain("is now subscribed to crawl.finished");
    expect(rebuilt.structuredContent.wakeshift).toMatchObject({ state: "subscribed" });
    expect(ticketsIn(await hook(rebuilt))).toEqual([]);
    expect(await world.crawlFinished.emit({ job: "1" }, { status: "done" })).toMatchObject({ matched: 1 });
    expect(world.log).toEqual([]);
  });
});
