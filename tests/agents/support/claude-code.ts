import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Started } from "./processes.ts";
import type { World } from "./world.ts";
import { commandLinesOf } from "./processes.ts";
import { waitUntil } from "./wait-until.ts";

type Json = Readonly<Record<string, unknown>>;

/** A session whose input streams: no terminal, and its stdin stays open. */
export interface ClaudeSession {
  readonly started: Started;
  readonly pid: number;
  /** The conversation's id; known once the first turn has begun. */
  id(): Promise<string>;
  say(text: string): void;
  interrupt(): void;
  /** How many turns have ended. */
  turns(): number;
  /** Waits until as many turns have ended. */
  ended(turns: number): Promise<void>;
  /** Closes stdin and waits for the process to end. */
  close(): Promise<number | null>;
}

/** Sets Claude Code up in this world: Wakeshift by its documented command, the scripted model and the example server. */
export async function setUpClaude(world: World): Promise<void> {
  writeFileSync(
    join(world.home, ".claude.json"),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: ["sk-ant-scripted"] },
      projects: { [world.work]: { hasTrustDialogAccepted: true } },
    }),
  );
  writeFileSync(join(world.work, "mcp.json"), JSON.stringify({ mcpServers: { crawler: { type: "http", url: world.mcpUrl } } }));
  mkdirSync(join(world.home, ".claude"), { recursive: true });
  // In the user's settings, so that a run the bridge starts has it too.
  writeFileSync(join(world.home, ".claude", "settings.json"), JSON.stringify({ env: claudeEnvironment(world) }));
  const result = await world.cli(["setup", "claude-code", "--yes"], { env: claudeEnvironment(world) });
  if (result.code !== 0) throw new Error(`wakeshift setup claude-code left with ${String(result.code)}: ${result.stdout}${result.stderr}`);
}

export function claudeEnvironment(world: World): NodeJS.ProcessEnv {
  return {
    ANTHROPIC_BASE_URL: world.model.url,
    ANTHROPIC_API_KEY: "sk-ant-scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Lets root run it; else MCP tools are only listed to the model by name.
    IS_SANDBOX: "1",
    ENABLE_TOOL_SEARCH: "false",
  };
}

/** The arguments every run has: the example server, and its tools allowed beforehand as a user would. */
const COMMON = ["--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools=mcp__crawler,Bash"];

export function startClaude(world: World, options: { readonly resume?: string; readonly env?: NodeJS.ProcessEnv } = {}): ClaudeSession {
  const resume = options.resume === undefined ? [] : ["--resume", options.resume];
  const stream = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const started = world.run("claude", [...stream, ...COMMON, ...resume], {
    env: { ...claudeEnvironment(world), ...options.env },
    stdin: true,
  });
  const lines = (): Json[] =>
    started.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json);
  const write = (line: unknown): void => void started.child.stdin?.write(`${JSON.stringify(line)}\n`);
  const turns = (): number => lines().filter((line) => line["type"] === "result").length;
  let requests = 0;
  return {
    started,
    pid: started.pid,
    id: () =>
      waitUntil(
        "the session's id",
        () => lines().find((line) => typeof line["session_id"] === "string")?.["session_id"] as string | undefined,
      ),
    say: (text) => write({ type: "user", message: { role: "user", content: text } }),
    interrupt: () => write({ type: "control_request", request_id: `interrupt-${(requests += 1)}`, request: { subtype: "interrupt" } }),
    turns,
    ended: async (count) => {
      await waitUntil(`the end of turn ${count} (${started.stderr})`, () => turns() >= count, 90_000);
    },
    close: async () => {
      started.child.stdin?.end();
      return await started.ended;
    },
  };
}

/** One run of `claude -p` to its end, or with `--resume`. */
export function runClaude(
  world: World,
  prompt: string,
  options: { readonly resume?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Started {
  const resume = options.resume === undefined ? [] : ["--resume", options.resume];
  return world.run("claude", ["-p", ...COMMON, "--output-format", "json", ...resume, prompt], {
    env: { ...claudeEnvironment(world), ...options.env },
  });
}

/** Lets a session subscribe to `job` by calling the example server's tool, and waits until its turn is over and the bridge streams. */
export async function subscribe(
  world: World,
  session: ClaudeSession,
  job: string,
  options: { readonly once?: boolean; readonly live?: number } = {},
): Promise<void> {
  const turns = session.turns();
  session.say(`#tool watch_crawl ${JSON.stringify({ job, once: options.once === true })}`);
  await session.ended(turns + 1);
  await world.subscribed(options.live ?? 1);
}

/** The hooks that wait for a wake right now. A hook that only reports is gone within moments, so it isn't counted. */
export async function waiters(world: World, settleMs = 600): Promise<number[]> {
  const now = (): number[] =>
    commandLinesOf(world.dir).flatMap(({ pid, line }) => (/ hook claude-code /.test(line) && !/^\S*sh /.test(line) ? [pid] : []));
  const first = new Set(now());
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  return now().filter((pid) => first.has(pid));
}

/** Waits until a hook of that conversation waits at the bridge. */
export async function armed(world: World): Promise<void> {
  await waitUntil("a waiting hook", async () => (await waiters(world, 200)).length > 0);
}

/** The lines of a conversation's transcript. */
export function transcript(world: World, session: string): Json[] {
  const projects = join(world.home, ".claude", "projects");
  const folder = readdirSync(projects).find((name) => readdirSync(join(projects, name)).includes(`${session}.jsonl`)) ?? "";
  return readFileSync(join(projects, folder, `${session}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);
}

/** How often an occurrence stands in the input of a turn, by the program's own record. */
export function timesInTurns(world: World, session: string, occurrence: string): number {
  return transcript(world, session).filter((line) => {
    const isInput = line["type"] === "user" || (line["type"] === "attachment" && (line["attachment"] as Json)["type"] === "queued_command");
    return isInput && JSON.stringify(line).includes(`occurrence ${occurrence}, subscription `);
  }).length;
}
