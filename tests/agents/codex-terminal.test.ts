import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CODEX_ENV, codexHome, openCodexWorld, watch } from "./support/codex.ts";
import { recordLatency } from "./support/latency.ts";
import { waitUntil } from "./support/wait-until.ts";
import type { World } from "./support/world.ts";

interface Terminal {
  type(text: string): void;
  /** Presses Enter until it took: right behind typed text Codex takes it for a pasted line break. */
  enterUntil(taken: () => boolean): Promise<void>;
  screen(): string;
}

/** Codex in a terminal of its own: a tmux server in the world's folder. */
function openTerminal(world: World): Terminal {
  const socket = join(world.dir, "tmux");
  const tmux = (...args: readonly string[]): string =>
    spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      cwd: world.work,
      env: { ...world.env, ...CODEX_ENV },
      encoding: "utf8",
    }).stdout;
  tmux("new-session", "-d", "-s", "t", "-x", "150", "-y", "40", "codex --no-alt-screen");
  onTestFinished(() => void tmux("kill-server"));
  return {
    type: (text) => void tmux("send-keys", "-t", "t", "-l", text),
    enterUntil: async (taken) => {
      await waitUntil("Enter to take", async () => {
        tmux("send-keys", "-t", "t", "Enter");
        await new Promise((resolve) => setTimeout(resolve, 700));
        return taken();
      });
    },
    screen: () => tmux("capture-pane", "-p", "-t", "t"),
  };
}

/** The terminal takes a prompt before the server's tools are known to it; such a turn ends without a call and is said again. */
async function sayOnceToolsAreKnown(world: World, terminal: Terminal): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const before = world.model.requests.length;
    terminal.type(watch("j1"));
    await terminal.enterUntil(() => world.model.requests.slice(before).some((one) => one.withTools));
    const request = world.model.requests.slice(before).find((one) => one.withTools);
    if (JSON.stringify(request?.body["tools"]).includes("watch_crawl")) return;
    await waitUntil("that turn's end", () => terminal.screen().includes("? for shortcuts"));
  }
}

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

// Without tmux there is no terminal to drive; the app-server's tests cover the rest of the way.
test.runIf(hasTmux)(
  "an idle conversation in Codex's terminal gets a new turn after one emit",
  async () => {
    const world = await openCodexWorld();
    const terminal = openTerminal(world);
    await waitUntil("Codex's prompt", () => terminal.screen().includes("? for shortcuts"), 60_000);
    await sayOnceToolsAreKnown(world, terminal);
    await world.subscribed(1);
    await waitUntil("the first turn's answer", () => terminal.screen().includes("DONE[1]"));
    const sent = performance.now();
    const { id } = await world.emit({ args: { job: "j1" }, payload: { status: "done" } });
    const request = await world.model.waitFor(id, { timeoutMs: 60_000 });
    recordLatency("codex", "terminal", request.at - sent);
    await waitUntil("the wake on the screen", () => terminal.screen().includes(id));
    expect(world.model.timesSeen(id)).toBe(1);
    expect(existsSync(join(codexHome(world), "app-server-control"))).toBe(true);
  },
  180_000,
);
