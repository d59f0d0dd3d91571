import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Terminal } from "./support/terminal.ts";
import type { World } from "./support/world.ts";
import { armed, claudeEnvironment, setUpClaude, timesInTurns } from "./support/claude-code.ts";
import { recordLatency } from "./support/latency.ts";
import { HAS_TERMINAL, openTerminal } from "./support/terminal.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

describe.skipIf(!HAS_TERMINAL)("Claude Code in a terminal", { timeout: 180_000 }, () => {
  let world: World;
  let terminal: Terminal;

  beforeEach(async () => {
    world = await makeWorld("claude-code");
    await setUpClaude(world);
    const args = ["--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools=mcp__crawler,Bash"];
    terminal = openTerminal(world, "claude", args, claudeEnvironment(world));
    await terminal.shows("❯");
  });

  afterEach(async () => {
    terminal.close();
    await world.close();
  });

  /** The session the terminal's process runs now. */
  function sessionNow(): string {
    const folder = join(world.home, ".claude", "sessions");
    const file = readdirSync(folder).find((name) => /^\d+\.json$/.test(name)) ?? "";
    return (JSON.parse(readFileSync(join(folder, file), "utf8")) as { readonly sessionId: string }).sessionId;
  }

  /** Subscribes. A terminal session takes prompts before it has connected to its servers, so the first ones may find no tool. */
  async function watch(job: string): Promise<void> {
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const from = world.model.requests.length;
      await terminal.say(`#tool watch_crawl ${JSON.stringify({ job })}`);
      const asked = await world.model.waitFor(`"job":"${job}"`, { from });
      if (JSON.stringify(asked.body["tools"]).includes("watch_crawl")) break;
      await terminal.shows("done");
    }
    await world.model.waitFor(`Watching crawl ${job}.`);
    await world.subscribed(1);
    await armed(world);
  }

  it("is woken while a person sits at it, also after an interrupted turn (PC-25)", async () => {
    await watch("tui");
    const sent = performance.now();
    const first = await world.emit({ args: { job: "tui" }, payload: { status: "done" } });
    const request = await world.model.waitFor(first.id);
    recordLatency("claude-code", "terminal, asyncRewake", request.at - sent);
    await terminal.shows("Wakeshift event");
    await waitUntil("the wake to be settled", async () => (await world.status()).pending.length === 0);

    await terminal.say("#hold never");
    await world.model.waitFor("#hold never");
    terminal.press("Escape");
    await terminal.shows("❯");
    const second = await world.emit({ args: { job: "tui" }, payload: { status: "done" } });
    await world.model.waitFor(second.id);
    world.model.release("never");
    await waitUntil("the wake to be settled", async () => (await world.status()).pending.length === 0);
    for (const { id } of [first, second]) expect(timesInTurns(world, sessionNow(), id)).toBe(1);
  });

  it("never wakes the conversation that follows a /clear with the wake of the one before (PC-24)", async () => {
    await watch("cleared");
    const before = sessionNow();
    await terminal.say("/clear");
    await waitUntil("another conversation", () => sessionNow() !== before);
    const from = world.model.requests.length;
    const { id } = await world.emit({ args: { job: "cleared" }, payload: { status: "done" } });
    await waitUntil("the wake to wait for its conversation", async () =>
      (await world.status()).pending.some((one) => one.occurrence === id && one.state === "conversation_closed"),
    );
    expect(world.model.requests.slice(from).some((request) => request.text.includes(id))).toBe(false);
  });
});
