import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { AgentProgram } from "./support/agent-programs.ts";
import { armed, setUpClaude, startClaude } from "./support/claude-code.ts";
import { setUpCodex, startAppServer } from "./support/codex.ts";
import { PATIENCE_MS, TEST_MS, asked, setUpOpencode, startOpencode, subscriptionsOf } from "./support/opencode-server.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld, type World } from "./support/world.ts";

const WRAPPED = fileURLToPath(new URL("../system/sdk-support/wrapped-everything.mjs", import.meta.url));

/** A world whose MCP server is a third party's from npm, with Wakeshift attached, in place of the example. */
async function setup(program: AgentProgram): Promise<World> {
  const world = await makeWorld(program);
  onTestFinished(() => world.close());
  const server = world.run(process.execPath, [WRAPPED], { env: { WAKESHIFT_KEY: world.key, WAKESHIFT_CORE: world.core } });
  const mcpUrl = await waitUntil("the third party's server", () => {
    if (server.child.exitCode !== null) throw new Error(`it ended: ${server.stderr}${server.stdout}`);
    return /listening on (\S+)/.exec(server.stdout)?.[1];
  });
  return { ...world, mcpUrl };
}

/** Calls both tools that subscribe; the program may write the second one's name its own way. */
const calls = (second = "get-structured-content"): string => `#tool echo {"message":"hello"}\n#tool ${second} {"location":"Chicago"}`;

async function answer(world: World): Promise<string> {
  const { id, matched } = await world.emit({
    event: "message.answered",
    args: { message: "hello" },
    payload: { answer: "hi" },
    text: "Someone answered hello",
  });
  expect(matched).toBe(1);
  return id;
}

function expectWake(newest: string, id: string): void {
  expect(newest).toMatch(new RegExp(`\\[Wakeshift\\] message\\.answered from crawler \\(app_\\w+\\), occurrence ${id}, subscription sub_`));
  expect(newest).toContain('payload: {"answer":"hi"}');
}

test("Codex is woken by a third party's server that Wakeshift is attached to (seed-20, seed-152)", async () => {
  const world = await setup("codex");
  await setUpCodex(world);
  const codex = await startAppServer(world);
  const thread = await codex.startThread();
  // Codex offers its model no dash in a tool's name.
  await codex.turn(thread, calls("get_structured_content"));
  await world.subscribed(2);
  const id = await answer(world);
  expectWake((await world.model.waitFor(id)).newest, id);
  await codex.say(thread, '#tool get_sum {"a":2,"b":3}');
  await world.model.waitFor("The sum of 2 and 3 is 5");
  await codex.close();
});

test(
  "Claude Code is woken by a third party's server that Wakeshift is attached to (seed-20, seed-153)",
  async () => {
    const world = await setup("claude-code");
    await setUpClaude(world);
    const session = startClaude(world);
    session.say(calls());
    await session.ended(1);
    await world.subscribed(2);
    await armed(world);
    const id = await answer(world);
    expectWake((await world.model.waitFor(id)).newest, id);
    await session.ended(2);
  },
  TEST_MS,
);

test(
  "opencode is woken by a third party's server that Wakeshift is attached to (seed-20)",
  async () => {
    const world = await setup("opencode");
    await setUpOpencode(world);
    const opencode = await startOpencode(world);
    const session = await opencode.open();
    await opencode.say(session, calls());
    await waitUntil("the subscriptions", async () => (await subscriptionsOf(world)).length === 2, PATIENCE_MS);
    await opencode.idle(session);
    const id = await answer(world);
    expectWake((await asked(world, id, 0)).newest, id);
  },
  TEST_MS,
);
