import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { readStatus, type StatusAnswer } from "@wakeshift/bridge";
import { onTestFinished } from "vitest";
import { until } from "../bridge-support/bridge-world.ts";
import { AppClient } from "../core-support/core-client.ts";
import { CRAWL, SDK, subscribe, type Subscribed } from "../core-support/core-world.ts";
import { cliWorld, type CliWorld, type Finished } from "./cli-world.ts";
import { installProgram } from "./installed-program.ts";

/** What a person reads of one cut. */
export interface Told {
  readonly emit: Finished;
  readonly doctor: Finished;
  readonly status: Finished;
}

/** A core process that runs for one test. */
export interface RunningDev {
  readonly url: string;
  kill(): Promise<void>;
}

/**
 * A Claude Code session: a process that lives, its transcript, and the hooks that its settings name. A hook that leaves with a wake
 * begins a turn, as in the program.
 */
export interface ScriptedSession {
  readonly id: string;
  /** A tool's result with a subscription: its line in the transcript, then the hook that a set-up Claude Code runs. */
  callTool(subscribed: Subscribed): void;
  /** The same where the program runs no hook, as it does if it has been running since before set-up. */
  callToolUnheard(subscribed: Subscribed): void;
  /** Opens the conversation again: another process, with the hooks that are set up by now, and this in its environment. */
  reopen(env?: Readonly<Record<string, string>>): void;
  /** What hooks that waited gave the program. */
  readonly wakes: readonly string[];
  /** Ends the process and the hook that waits for it. */
  end(): Promise<void>;
}

/** One machine with a core, an app with an event, Claude Code, and the real command. */
export interface CutWorld {
  readonly cli: CliWorld;
  readonly env: Readonly<Record<string, string>>;
  /** Starts `dev` at the world's port. `elsewhere`: noted for another user, so that this one hasn't allowed it. */
  dev(options?: { readonly data?: string; readonly elsewhere?: boolean }): Promise<RunningDev>;
  /** The app of that core, with its event published. */
  appOf(url: string, data?: string): Promise<AppClient>;
  setUp(): Promise<void>;
  /** The last set-up was an hour ago. */
  age(): void;
  session(): ScriptedSession;
  /** `undefined`: no bridge runs. */
  status(): Promise<StatusAnswer | undefined>;
  connected(): Promise<void>;
  /** Emits, then asks doctor and status. `settled`: what the emit brings about is waited for in between. */
  told(options?: { readonly core?: string; readonly env?: Readonly<Record<string, string>>; settled?(): Promise<unknown> }): Promise<Told>;
  emit(options?: { readonly core?: string; readonly env?: Readonly<Record<string, string>> }): Promise<Finished>;
  doctor(): Promise<Finished>;
}

const ARGUMENTS = ["--args", '{"job":"a"}', "--payload", '{"status":"done"}'];

/** A machine where nothing runs yet. All it starts ends with the test. */
export async function cutWorld(): Promise<CutWorld> {
  const cli = cliWorld();
  const env = installProgram(cli, "claude");
  const port = await freePort();
  const dataOf = (name = "core"): string => join(cli.home, name);
  const url = `http://127.0.0.1:${String(port)}`;
  const settings = join(cli.home, ".claude", "settings.json");
  const emit: CutWorld["emit"] = ({ core = url, env: more = {} } = {}) =>
    cli.run(["emit", CRAWL.name, ...ARGUMENTS, "--data", dataOf(), "--core", core], more);
  const doctor = (): Promise<Finished> => cli.run(["doctor"], env);
  // Asked without a process of its own: it is asked often.
  const home = join(cli.home, "wakeshift");
  const status: CutWorld["status"] = () => readStatus({ WAKESHIFT_HOME: home });
  return {
    cli,
    env,
    dev: async ({ data, elsewhere } = {}) => {
      const noted = elsewhere === true ? { WAKESHIFT_HOME: join(cli.home, "elsewhere") } : {};
      const { first, child } = await cli.start<{ url: string }>(["dev", "--port", String(port), "--data", dataOf(data)], noted);
      return { url: first.url, kill: () => killed(child) };
    },
    appOf: async (core, data) => {
      const key = readFileSync(join(dataOf(data), "dev.key"), "utf8").trim();
      const app = new AppClient(core, key);
      const { status: code } = await app.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
      if (code !== 200) throw new Error(`not published: ${String(code)}`);
      return app;
    },
    setUp: async () => void (await cli.json(["setup", "claude-code", "--yes"], env)),
    age: () => {
      const path = join(home, "setup.json");
      const at = new Date(Date.now() - 3_600_000).toISOString();
      writeFileSync(path, readFileSync(path, "utf8").replace(/"at": "[^"]+"/g, `"at": "${at}"`));
    },
    session: () => scriptedSession(cli.home, settings, env),
    status,
    connected: async () => void (await until("the stream", async () => (await status())?.cores[0]?.connected)),
    told: async (options = {}) => {
      const emitted = await emit(options);
      await options.settled?.();
      const [doctored, stated] = await Promise.all([doctor(), cli.run(["status"])]);
      return { emit: emitted, doctor: doctored, status: stated };
    },
    emit,
    doctor,
  };
}

/** The machine with all it needs: set up, subscribed and connected, with the hook of the subscribing call waiting. */
export async function subscribedWorld(): Promise<
  CutWorld & { readonly core: RunningDev; readonly claude: ScriptedSession; readonly app: AppClient }
> {
  const world = await cutWorld();
  await world.setUp();
  const core = await world.dev();
  const claude = world.session();
  const app = await world.appOf(core.url);
  claude.callTool(await subscribe(app));
  await world.connected();
  return { ...world, core, claude, app };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function scriptedSession(home: string, settings: string, env: Readonly<Record<string, string>>): ScriptedSession {
  const id = randomUUID();
  const transcript = join(home, ".claude", "projects", "home", `${id}.jsonl`);
  mkdirSync(dirname(transcript), { recursive: true });
  const start = (): ChildProcess => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  let program = start();
  let own = env;
  const hooks: Promise<void>[] = [];
  const wakes: string[] = [];
  const end = async (): Promise<void> => {
    await killed(program);
    await Promise.all(hooks);
  };
  onTestFinished(end);
  const write = (line: object): void => writeFileSync(transcript, `${JSON.stringify(line)}\n`, { flag: "a" });
  const hook = (event: string, more: object = {}): void => {
    const input = { session_id: id, transcript_path: transcript, cwd: home, hook_event_name: event, ...more };
    // None is run if none is set up, as the program does.
    for (const command of commandsOf(settings, event))
      hooks.push(runHook(command, home, { ...own, CLAUDE_PID: String(program.pid) }, input).then(takeTurn));
  };
  const takeTurn = ({ code, stderr }: Finished): void => {
    if (code !== 2) return;
    wakes.push(stderr);
    write({ type: "user", message: { role: "user", content: stderr } });
    hook("Stop");
  };
  const note = (subscribed: Subscribed): string => {
    const call = `toolu_${randomUUID()}`;
    const content = [{ type: "tool_result", tool_use_id: call, content: "started" }];
    write({ type: "user", message: { content }, mcpMeta: { _meta: subscribed.body.addition.meta } });
    return call;
  };
  return {
    id,
    wakes,
    callTool: (subscribed) => hook("PostToolUse", { tool_name: "mcp__crawler__start_crawl", tool_use_id: note(subscribed) }),
    callToolUnheard: (subscribed) => {
      note(subscribed);
      // Longer ago than a turn's first hook may take.
      const at = Date.now() / 1_000 - 60;
      utimesSync(transcript, at, at);
    },
    reopen: (added = {}) => {
      own = { ...env, ...added };
      program = start();
      hook("SessionStart", { source: "resume" });
    },
    end,
  };
}

async function runHook(command: string, cwd: string, env: Readonly<Record<string, string>>, input: object): Promise<Finished> {
  const child = spawn("sh", ["-c", command], { cwd, env: { HOME: cwd, CLAUDE_CODE_SESSION_ATTENDED: "1", ...env } });
  const texts = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (texts.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (texts.stderr += chunk.toString()));
  child.stdin.on("error", () => undefined).end(JSON.stringify(input));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...texts };
}

function commandsOf(settings: string, event: string): readonly string[] {
  try {
    const { hooks } = JSON.parse(readFileSync(settings, "utf8")) as { hooks?: Record<string, { hooks: { command: string }[] }[]> };
    return (hooks?.[event] ?? []).flatMap((group) => group.hooks.map(({ command }) => command));
  } catch {
    return [];
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
