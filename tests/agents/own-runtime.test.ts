import { Wakeshift } from "@wakeshift/sdk";
import { attachTools } from "@wakeshift/sdk/tools";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { serveRpc } from "../system/sdk-support/json-rpc.ts";
import type { AgentProgram } from "./support/agent-programs.ts";
import { armed, setUpClaude, startClaude } from "./support/claude-code.ts";
import { setUpCodex, startAppServer } from "./support/codex.ts";
import { PATIENCE_MS, TEST_MS, asked, setUpOpencode, startOpencode, subscriptionsOf } from "./support/opencode-server.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld, type World } from "./support/world.ts";

const WATCH = {
  name: "watch_job",
  description: "Watches a job.",
  inputSchema: { type: "object", properties: { job: { type: "string" } }, required: ["job"], additionalProperties: false },
};
const CALL = '#tool watch_job {"job":"j1"}';

/** A world whose MCP server is a runtime of the author's own, with `attachTools`, in place of the example. */
async function setup(program: AgentProgram): Promise<World> {
  const world = await makeWorld(program);
  onTestFinished(() => world.close());
  const wake = new Wakeshift({ key: world.key, core: world.core });
  const ended = wake.defineEvent("job.ended", {
    description: "A job ended",
    args: z.object({ job: z.string() }),
    payload: z.object({ status: z.string() }),
  });
  const tools = attachTools(wake, { wrap: { watch_job: [ended] } });
  const served = await serveRpc(async ({ method, params, headers, signal }) => {
    if (method === "tools/list") return { tools: await tools.list([WATCH], { headers }) };
    if (method !== "tools/call") throw Object.assign(new Error(`no ${method}`), { code: -32601 });
    return tools.call(params, { meta: params._meta, headers, signal }, async (stripped: any) => {
      await wake.currentCall().subscribe(ended, { job: stripped.arguments.job }, { once: true });
      return { content: [{ type: "text", text: "watching" }] };
    });
  });
  onTestFinished(() => served.close());
  return { ...world, mcpUrl: served.url };
}

async function end(world: World): Promise<string> {
  const { id, matched } = await world.emit({ event: "job.ended", args: { job: "j1" }, payload: { status: "ok" }, text: "Job j1 ended" });
  expect(matched).toBe(1);
  return id;
}

function expectWake(newest: string, id: string): void {
  expect(newest).toMatch(new RegExp(`\\[Wakeshift\\] job\\.ended from crawler \\(app_\\w+\\), occurrence ${id}, subscription sub_`));
  expect(newest).toContain('payload: {"status":"ok"}');
}

test("Codex subscribes and is woken on the attachTools path (seed-117)", async () => {
  const world = await setup("codex");
  await setUpCodex(world);
  const codex = await startAppServer(world);
  await codex.turn(await codex.startThread(), CALL);
  await world.subscribed(1);
  const id = await end(world);
  expectWake((await world.model.waitFor(id)).newest, id);
  await codex.close();
});

test(
  "Claude Code subscribes and is woken on the attachTools path (seed-117)",
  async () => {
    const world = await setup("claude-code");
    await setUpClaude(world);
    const session = startClaude(world);
    session.say(CALL);
    await session.ended(1);
    await world.subscribed(1);
    await armed(world);
    const id = await end(world);
    expectWake((await world.model.waitFor(id)).newest, id);
    await session.ended(2);
  },
  TEST_MS,
);

test(
  "opencode subscribes and is woken on the attachTools path (seed-117)",
  async () => {
    const world = await setup("opencode");
    await setUpOpencode(world);
    const opencode = await startOpencode(world);
    const session = await opencode.open();
    await opencode.say(session, CALL);
    await waitUntil("the subscription", async () => (await subscriptionsOf(world)).length === 1, PATIENCE_MS);
    await opencode.idle(session);
    const id = await end(world);
    expectWake((await asked(world, id, 0)).newest, id);
  },
  TEST_MS,
);
