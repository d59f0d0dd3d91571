import { mkdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Started } from "./processes.ts";
import type { World } from "./world.ts";
import { waitUntil } from "./wait-until.ts";
import { makeWorld } from "./world.ts";

/** Codex's folder in a world. */
export function codexHome(world: World): string {
  return join(world.home, ".codex");
}

/** The configuration of a Codex that talks to the scripted model and to the example server. */
export function codexConfig(world: World): string {
  return `model = "fake-model"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.fake]
name = "fake"
base_url = "${world.model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0

[mcp_servers.crawler]
url = "${world.mcpUrl}"
# Else a busy machine may begin the first turn before the server's tools are known.
required = true
startup_timeout_sec = 60

[projects."${world.work}"]
trust_level = "trusted"
`;
}

/** Configures Codex in this world and connects it as a user does: `wakeshift setup codex --yes`. */
export async function setUpCodex(world: World): Promise<void> {
  mkdirSync(codexHome(world), { recursive: true });
  writeFileSync(join(codexHome(world), "config.toml"), codexConfig(world));
  const result = await world.cli(["setup", "codex", "--yes"], { timeoutMs: 60_000 });
  if (result.code !== 0) throw new Error(`wakeshift setup codex failed (${String(result.code)}): ${result.stdout}${result.stderr}`);
}

/** A world for the running test, with Codex connected in it. */
export async function openCodexWorld(): Promise<World> {
  const world = await makeWorld("codex");
  onTestFinished(() => world.close());
  await setUpCodex(world);
  return world;
}

export const CODEX_ENV = { FAKE_KEY: "k" };

/** Starts `codex exec` with a script for the model; further arguments before the prompt. */
export function codexExec(world: World, script: string, args: readonly string[] = []): Started {
  return world.run("codex", ["exec", "--json", "--skip-git-repo-check", ...args, script], { env: CODEX_ENV });
}

/** The thread of an exec run, once it said it. */
export async function execThread(started: Started): Promise<string> {
  return waitUntil("the exec run's thread id", () => /"thread_id":"([^"]+)"/.exec(started.stdout)?.[1]);
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly threadId?: string; readonly turn?: { readonly status?: string } };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A private app-server as editors run it, spoken to on stdio. */
export interface CodexAppServer {
  readonly started: Started;
  call(method: string, params: unknown): Promise<unknown>;
  startThread(): Promise<string>;
  openThread(thread: string): Promise<void>;
  /** Starts a turn and does not wait for its end. */
  say(thread: string, text: string): Promise<void>;
  /** Runs a turn to its end, after the one that may still run. */
  turn(thread: string, text: string): Promise<void>;
  /** How many turns of this thread have ended. */
  turnsEnded(thread: string): number;
  /** Ends it as an editor does that is closed. */
  close(): Promise<void>;
}

export async function startAppServer(world: World): Promise<CodexAppServer> {
  const started = world.run("codex", ["app-server"], { env: CODEX_ENV, stdin: true });
  const { stdin, stdout } = started.child;
  if (!stdin || !stdout) throw new Error("the app-server has no pipes");
  const answers = new Map<number, (message: Message) => void>();
  const notices: Message[] = [];
  let next = 0;
  createInterface({ input: stdout }).on("line", (line) => {
    if (line.trim() === "") return;
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined && message.method === undefined) answers.get(message.id)?.(message);
    else notices.push(message);
  });
  const call = async (method: string, params: unknown): Promise<unknown> => {
    const id = ++next;
    let answer: Message | undefined;
    answers.set(id, (message) => (answer = message));
    stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    const message = await waitUntil(`an answer to ${method}`, () => answer);
    if (message.error) throw new Error(`${method}: ${message.error.message}`);
    return message.result;
  };
  await call("initialize", {
    clientInfo: { name: "codex_vscode", title: "Editor", version: "0.1.0" },
    capabilities: { experimentalApi: true },
  });
  stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
  const noticed = (method: string, thread: string): number =>
    notices.filter((one) => one.method === method && one.params?.threadId === thread).length;
  const turnsEnded = (thread: string): number => noticed("turn/completed", thread);
  const say = async (threadId: string, text: string): Promise<void> => {
    await call("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
  };
  return {
    started,
    call,
    startThread: async () => ((await call("thread/start", { cwd: world.work })) as { thread: { id: string } }).thread.id,
    openThread: async (threadId) => void (await call("thread/resume", { threadId, excludeTurns: true })),
    say,
    turn: async (thread, text) => {
      // The end of a turn that still runs, as of a wake the model has just seen, would be taken for this one's.
      await waitUntil("the end of the turn before", () => turnsEnded(thread) >= noticed("turn/started", thread));
      const before = turnsEnded(thread);
      await say(thread, text);
      await waitUntil("the end of the turn", () => turnsEnded(thread) > before);
    },
    turnsEnded,
    close: async () => {
      stdin.end();
      started.child.kill("SIGTERM");
      await started.ended;
    },
  };
}

/** A world with an editor, one thread of which has subscribed to the end of `j1` and is idle. */
export async function openSubscribedEditor(): Promise<{ readonly world: World; readonly editor: CodexAppServer; readonly thread: string }> {
  const world = await openCodexWorld();
  const editor = await startAppServer(world);
  const thread = await editor.startThread();
  await editor.turn(thread, watch("j1"));
  await world.subscribed(1);
  return { world, editor, thread };
}

/** The line that has the model subscribe to one job's end. */
export function watch(job: string, once = false): string {
  return `#tool watch_crawl ${JSON.stringify({ job, ...(once ? { once } : {}) })}`;
}
