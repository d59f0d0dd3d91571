import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Started } from "./processes.ts";
import type { ModelRequest } from "./scripted-model.ts";
import type { World } from "./world.ts";
import { kill } from "./processes.ts";
import { waitUntil } from "./wait-until.ts";

type Json = Readonly<Record<string, unknown>>;

/** opencode's first start and first turn take seconds on a quiet machine, and far longer on a busy one. */
export const PATIENCE_MS = 90_000;
/** For a whole test, or for setting one up. */
export const TEST_MS = 300_000;

export interface OpencodeMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly agent: string | undefined;
  readonly text: string;
}

/** One `opencode serve` process, spoken to over its HTTP API. */
export interface OpencodeServer {
  readonly pid: number;
  readonly started: Started;
  /** A new conversation; its id. */
  open(): Promise<string>;
  /** Gives the conversation a user's text; answered before its turn ends. */
  say(session: string, text: string, options?: { readonly agent?: string }): Promise<void>;
  /** Waits until no turn runs in the conversation. */
  idle(session: string): Promise<void>;
  messages(session: string): Promise<readonly OpencodeMessage[]>;
  /** `-9`, or another signal, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Sets opencode up in this world: Wakeshift by its documented command, the scripted model and MCP servers by the settings of a project. */
export async function setUpOpencode(world: World, servers: Readonly<Record<string, string>> = { crawler: world.mcpUrl }): Promise<void> {
  const result = await world.cli(["setup", "opencode", "--yes"]);
  if (result.code !== 0) throw new Error(`wakeshift setup opencode left with ${String(result.code)}: ${result.stdout}${result.stderr}`);
  writeProject(world.work, world.model.url, servers);
}

/** A project's `opencode.json`. */
export function writeProject(folder: string, modelUrl: string, servers: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  const model = { name: "fake", limit: { context: 100_000, output: 4_000 } };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Fake",
    options: { baseURL: `${modelUrl}/v1`, apiKey: "k" },
    models: { "fake-model": model },
  };
  const settings = {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    model: "fake/fake-model",
    small_model: "fake/fake-model",
    provider: { fake: provider },
    mcp: Object.fromEntries(Object.entries(servers).map(([name, url]) => [name, { type: "remote", url }])),
  };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(settings, null, 2));
}

export const OPENCODE_ENV: NodeJS.ProcessEnv = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  npm_config_fetch_retries: "0",
};

/** Starts `opencode serve` in this world. Several share one data folder. */
export async function startOpencode(
  world: World,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<OpencodeServer> {
  const started = world.run("opencode", ["serve", "--port", "0"], {
    env: { ...OPENCODE_ENV, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const url = await waitUntil(
    "opencode serve to listen",
    () => {
      if (started.child.exitCode !== null) throw new Error(`opencode ended: ${started.stdout}${started.stderr}`);
      return /listening on (http:\/\/\S+)/.exec(started.stdout)?.[1];
    },
    PATIENCE_MS,
  );

  // A fresh home may leave the first request without an answer for good: each has a limit, and reading is tried again.
  const read = (path: string): Promise<unknown> =>
    waitUntil(`opencode to answer GET ${path}`, () => request("GET", url + path).catch(() => undefined), PATIENCE_MS);
  await read("/session");
  await read("/mcp");

  return {
    pid: started.pid,
    started,
    open: async () => {
      const made = (await waitUntil(
        "opencode to make a conversation",
        () => request("POST", `${url}/session`, {}).catch(() => undefined),
        PATIENCE_MS,
      )) as Json;
      return String(made["id"]);
    },
    say: async (session, text, more = {}) => {
      await request("POST", `${url}/session/${session}/prompt_async`, { ...more, parts: [{ type: "text", text }] });
    },
    idle: async (session) => {
      await waitUntil(
        `the turn in ${session} to end`,
        async () => !Object.hasOwn((await read("/session/status")) as Json, session),
        PATIENCE_MS,
      );
    },
    messages: async (session) => {
      const listed = (await read(`/session/${session}/message`)) as { info: Json; parts: Json[] }[];
      return listed.map(({ info, parts }) => ({
        id: String(info["id"]),
        role: info["role"] as "user" | "assistant",
        agent: info["agent"] as string | undefined,
        text: parts.flatMap((part) => (part["type"] === "text" ? [String(part["text"])] : [])).join("\n"),
      }));
    },
    stop: async (signal = "SIGKILL") => {
      kill(started.pid, signal);
      await started.ended;
    },
  };
}

async function request(method: string, url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${String(response.status)}: ${text.slice(0, 300)}`);
  return text === "" ? {} : JSON.parse(text);
}

/** Lets a conversation subscribe to `job` by calling the example server's tool, and waits until its turn is over and the bridge has it. */
export async function subscribe(
  world: World,
  opencode: OpencodeServer,
  session: string,
  job: string,
  options: { readonly once?: boolean; readonly agent?: string } = {},
): Promise<void> {
  const { once = false, agent } = options;
  await opencode.say(session, `#tool watch_crawl ${JSON.stringify({ job, once })}`, agent === undefined ? {} : { agent });
  await asked(world, `Watching crawl ${job}.`);
  await opencode.idle(session);
  await waitUntil(
    `the bridge to hold the subscription of ${session}`,
    async () => (await subscribersOf(world, job)).includes(session),
    PATIENCE_MS,
  );
}

/** The conversations that are subscribed to `job` at this world's bridge. */
export async function subscribersOf(world: World, job: string): Promise<readonly string[]> {
  return (await subscriptionsOf(world)).filter((one) => one.arguments["job"] === job).map((one) => one.conversation);
}

/** What this world's bridge is subscribed to. */
export async function subscriptionsOf(
  world: World,
): Promise<readonly { readonly conversation: string; readonly event: string; readonly arguments: Json }[]> {
  const listed = await world.cliJson<{ readonly subscriptions: Awaited<ReturnType<typeof subscriptionsOf>> }>(["list"]);
  return listed.subscriptions;
}

/** The first model request from index `from` on that holds `text`. */
export function asked(world: World, text: string, from = 0): Promise<ModelRequest> {
  return world.model.waitFor(text, { timeoutMs: PATIENCE_MS, from });
}

/** The wakes that stand in a conversation, in order: each user message that holds one. */
export function wakesAmong(messages: readonly OpencodeMessage[]): readonly OpencodeMessage[] {
  return messages.filter((message) => message.role === "user" && message.text.startsWith("[Wakeshift]"));
}
