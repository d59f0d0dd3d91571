import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { WakeshiftError } from "@wakeshift/protocol";

/** A short conversation with Codex's own interface, `codex app-server` on stdio. */
export interface AppServer {
  /** @throws WakeshiftError `bad_response` where Codex refuses, `unreachable` where it gives no answer in time. */
  call(method: string, params: unknown): Promise<unknown>;
  close(): void;
}

export interface AppServerOptions {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** For each call, the start included. Default 20,000 ms. */
  readonly timeoutMs?: number;
  /** Told of each call that is waited for; the function it answers is called when that is over. */
  readonly waiting?: (what: string, mostMs: number) => () => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: WakeshiftError) => void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** Starts an app-server of its own; no running Codex is disturbed, and no model is asked anything. */
export async function openAppServer(options: AppServerOptions): Promise<AppServer> {
  const child = spawn(options.command, ["app-server"], {
    cwd: options.cwd,
    env: options.env,
    stdio: ["pipe", "pipe", "ignore"],
    shell: options.command.endsWith(".cmd"),
  });
  const waiting = new Map<number, Waiting>();
  let next = 0;
  const failAll = (detail: string): void => {
    for (const one of waiting.values())
      one.reject(new WakeshiftError("unreachable", `codex app-server ${detail} (run it by hand to see why)`));
    waiting.clear();
  };
  child.on("error", (error) => failAll(`could not be started (${error.message})`));
  child.on("close", (code) => failAll(`ended with exit code ${String(code)}`));
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parseMessage(line);
    const one = message?.id === undefined || message.method !== undefined ? undefined : waiting.get(message.id);
    if (message?.id === undefined || one === undefined) return;
    waiting.delete(message.id);
    if (message.error)
      one.reject(new WakeshiftError("bad_response", `codex app-server refused: ${message.error.message ?? "no reason given"}`));
    else one.resolve(message.result);
  });
  const send = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const timeoutMs = options.timeoutMs ?? 20_000;
  const call = (method: string, params: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++next;
      const over = options.waiting?.(`codex app-server to answer ${method}`, timeoutMs);
      const timer = setTimeout(() => {
        waiting.delete(id);
        over?.();
        reject(
          new WakeshiftError(
            "unreachable",
            `codex app-server did not answer ${method} within ${String(timeoutMs / 1000)} s (run it by hand to see why)`,
          ),
        );
      }, timeoutMs);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          over?.();
          then(value);
        };
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      send({ id, method, params });
    });
  const close = (): void => {
    child.stdin.end();
    child.kill();
    setTimeout(() => child.kill("SIGKILL"), 2_000).unref();
  };
  try {
    await call("initialize", {
      clientInfo: { name: "wakeshift", title: "Wakeshift", version: "0" },
      capabilities: { experimentalApi: true },
    });
  } catch (error) {
    close();
    throw error;
  }
  send({ method: "initialized" });
  return { call, close };
}

function parseMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
