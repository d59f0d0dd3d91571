import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { readStatus } from "@wakeshift/bridge";
import type { EmitAnswer } from "@wakeshift/protocol";
import type { AgentProgram } from "./agent-programs.ts";
import type { EmitRequest } from "./emit.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import type { Started } from "./processes.ts";
import { receivedAcks } from "../../system/core-support/received-acks.ts";
import { agentBin } from "./agent-programs.ts";
import { emitTo } from "./emit.ts";
import { kill, killProcessesOf, start } from "./processes.ts";
import { startScriptedModel } from "./scripted-model.ts";
import { waitUntil } from "./wait-until.ts";

const ROOT = realpathSync(join(import.meta.dirname, "..", "..", ".."));
const CLI = join(ROOT, "packages", "cli", "dist", "main.js");
const CRAWLER = join(ROOT, "examples", "crawler", "dist", "main.js");

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What `wakeshift status --json` says; only what tests look at. */
export interface StatusView {
  readonly pid: number;
  readonly supervisor?: number;
  readonly subscriptions: number;
  readonly unsent_acks: number;
  readonly pending: readonly {
    readonly occurrence: string;
    readonly conversation: string;
    readonly state: string;
    readonly detail: string;
  }[];
  readonly [field: string]: unknown;
}

/** One test's own machine: home, core, example server, model, bridge and programs, all in one folder. */
export interface World {
  readonly dir: string;
  /** The programs' `HOME`. */
  readonly home: string;
  /** An empty folder to run the programs in. */
  readonly work: string;
  /** First on the `PATH`, empty: put a stand-in for a program here. */
  readonly bin: string;
  readonly wakeshiftHome: string;
  /** The whole environment of everything in this world. */
  readonly env: NodeJS.ProcessEnv;
  readonly model: ScriptedModel;
  readonly core: string;
  /** The example server's MCP address (stateless HTTP). */
  readonly mcpUrl: string;
  readonly key: string;
  /** Runs `wakeshift …` to its end. */
  cli(args: readonly string[], options?: { readonly env?: NodeJS.ProcessEnv; readonly timeoutMs?: number }): Promise<CommandResult>;
  /** Runs `wakeshift … --json` and parses what it prints. */
  cliJson<T>(args: readonly string[]): Promise<T>;
  /** Starts a program in this world; it is killed with the world. */
  run(
    command: string,
    args: readonly string[],
    options?: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly stdin?: boolean },
  ): Started;
  emit(request: EmitRequest): Promise<EmitAnswer>;
  /** What `wakeshift status --json` prints, asked of the bridge directly: waiting on a condition starts no process each time. */
  status(): Promise<StatusView>;
  /** When the core received each ack of an occurrence, by the wall clock, once the bridge has none left to send. */
  acks(occurrence: string): Promise<readonly number[]>;
  /** Waits until the bridge streams `count` subscriptions. */
  subscribed(count: number): Promise<void>;
  /** `kill -9` on the bridge's worker, or on worker and supervisor. */
  killBridge(what?: "worker" | "all"): Promise<void>;
  stopCore(signal?: NodeJS.Signals): Promise<void>;
  startCore(): Promise<void>;
  close(): Promise<void>;
}

/** Makes a world in which the named programs are on the `PATH`. Close it in any case. */
export async function makeWorld(...programs: readonly AgentProgram[]): Promise<World> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "wks-")));
  const folder = (name: string): string => {
    mkdirSync(join(dir, name));
    return join(dir, name);
  };
  const places = {
    home: folder("home"),
    work: folder("work"),
    bin: folder("bin"),
    wakeshiftHome: folder("ws"),
    data: folder("core"),
    temp: folder("tmp"),
  };
  const model = await startScriptedModel();
  const port = await freePort();
  const core = `http://127.0.0.1:${port}`;
  const env = worldEnvironment(places, programs.map(agentBin));
  const running = new Set<Started>();
  let coreProcess: Started | undefined;

  const run: World["run"] = (command, args, options = {}) => {
    const started = start(command, args, {
      cwd: options.cwd ?? places.work,
      env: { ...env, ...options.env },
      stdio: [options.stdin ? "pipe" : "ignore", "pipe", "pipe"],
    });
    running.add(started);
    return started;
  };
  const cli: World["cli"] = async (args, options = {}) => {
    const started = run(process.execPath, [CLI, ...args], options.env ? { env: options.env } : {});
    const timer = setTimeout(() => kill(started.pid), options.timeoutMs ?? 90_000);
    const code = await started.ended;
    clearTimeout(timer);
    return { code, stdout: started.stdout, stderr: started.stderr };
  };
  const cliJson = async <T>(args: readonly string[]): Promise<T> => {
    const result = await cli([...args, "--json"]);
    if (result.stdout.trim() === "") throw new Error(`wakeshift ${args.join(" ")} printed nothing (exit ${result.code}): ${result.stderr}`);
    return JSON.parse(result.stdout) as T;
  };
  const startCore = async (): Promise<void> => {
    const started = run(process.execPath, [CLI, "dev", "--port", String(port), "--data", places.data]);
    coreProcess = started;
    await waitUntil(`the core on ${core} (${CLI} dev)`, () => {
      if (started.child.exitCode !== null) throw new Error(`the core ended: ${started.stderr}${started.stdout}`);
      return isReady(core);
    });
  };
  const close = async (): Promise<void> => {
    for (const started of running) kill(started.pid);
    await killProcessesOf(dir);
    await model.close();
    if (process.env["WAKESHIFT_KEEP_WORLDS"] === undefined) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    await startCore();
    const key = await createKey(cliJson, places.data);
    const crawler = run(process.execPath, [CRAWLER], { env: { PORT: "0", WAKESHIFT_KEY: key, WAKESHIFT_CORE: core } });
    const mcpUrl = await waitUntil(`the example server (${CRAWLER})`, () => {
      if (crawler.child.exitCode !== null) throw new Error(`the example server ended: ${crawler.stderr}${crawler.stdout}`);
      return /listening on (\S+)/.exec(crawler.stdout)?.[1];
    });
    const status = async (): Promise<StatusView> => {
      const answer = await readStatus(env);
      return (answer === undefined ? { running: false } : { running: true, ...answer }) as unknown as StatusView;
    };
    return {
      dir,
      ...places,
      env,
      model,
      core,
      mcpUrl,
      key,
      cli,
      cliJson,
      run,
      emit: (request) => emitTo(core, key, request),
      status,
      acks: async (occurrence) => {
        await waitUntil("no ack under way", async () => (await status()).unsent_acks === 0);
        return receivedAcks(places.data, occurrence);
      },
      subscribed: async (count) => {
        const isThere = async (): Promise<boolean> => (await streamedSubscriptions(status)) === count;
        await waitUntil(`${count} live subscription(s) at the bridge`, isThere, 60_000).catch(async (error: unknown) => {
          throw new Error(`${String(error)}\n${JSON.stringify(await status())}\n${logsIn(places.wakeshiftHome)}`);
        });
      },
      killBridge: async (what = "all") => {
        const { pid, supervisor } = await status();
        if (what === "all" && supervisor !== undefined) kill(supervisor);
        kill(pid);
      },
      stopCore: async (signal = "SIGKILL") => {
        if (coreProcess) kill(coreProcess.pid, signal);
        await coreProcess?.ended;
      },
      startCore,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the bridge and the hooks wrote: a wait in vain is understood from it. */
function logsIn(wakeshiftHome: string): string {
  return readdirSync(wakeshiftHome, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".log"))
    .map((name) => `${name}:\n${readFileSync(join(wakeshiftHome, name), "utf8").slice(-4_000)}`)
    .join("\n");
}

function worldEnvironment(
  places: { home: string; bin: string; wakeshiftHome: string; temp: string },
  bins: readonly string[],
): NodeJS.ProcessEnv {
  return {
    PATH: [places.bin, ...bins, process.env["PATH"] ?? ""].join(delimiter),
    HOME: places.home,
    USERPROFILE: places.home,
    WAKESHIFT_HOME: places.wakeshiftHome,
    // The programs unpack libraries into it at each start and leave them there.
    TMPDIR: places.temp,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    // The programs must stay offline: a request that leaves loopback fails at once instead of hanging.
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
  };
}

async function createKey(cliJson: World["cliJson"], data: string): Promise<string> {
  const created = await cliJson<{ readonly key: string | { readonly key: string } }>(["app", "create", "crawler", "--data", data]);
  return typeof created.key === "string" ? created.key : created.key.key;
}

async function streamedSubscriptions(status: () => Promise<StatusView>): Promise<number> {
  const view = await status();
  const cores = (view["cores"] ?? []) as readonly { readonly connected: boolean; readonly subscriptions: number }[];
  return cores.filter((one) => one.connected).reduce((sum, one) => sum + one.subscriptions, 0);
}

async function isReady(core: string): Promise<boolean> {
  try {
    return (await fetch(`${core}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
