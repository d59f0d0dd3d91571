import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { onTestFinished } from "vitest";

const FIXTURE = fileURLToPath(new URL("../fixtures/crawler", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../../..", import.meta.url));
const START_LIMIT_MS = 30_000;
const OURS = ["@modelcontextprotocol/node", "@modelcontextprotocol/server", "zod"];

/** A running server that says on its standard output which port it got. */
export interface StartedServer {
  readonly url: URL;
  /** What it has printed so far. */
  readonly output: () => string;
}

/** The app of `fixtures/crawler` in a folder of its own, gone when the test ends; with `linked` it has the workspace's packages. */
export async function makeCrawlerApp({ linked }: { readonly linked: boolean }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "crawler-app-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(FIXTURE, folder, { recursive: true });
  if (!linked) return folder;
  for (const [name, target] of [
    ...OURS.map((name) => [name, join(WORKSPACE, "node_modules", name)] as const),
    ["@wakeshift/sdk", join(WORKSPACE, "packages", "sdk")] as const,
  ]) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  }
  return folder;
}

/** Starts a program that serves, and ends it with the test. */
export async function startServer(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<StartedServer> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: a package manager runs the server as a child of itself.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  let printed = "";
  const port = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${command} didn't serve in time:\n${printed}`)), START_LIMIT_MS);
    const read = (chunk: Buffer): void => {
      printed += String(chunk);
      const [, found] = /port\W+(\d+)\W/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("close", () => reject(new Error(`${command} ended:\n${printed}`)));
    void ended.finally(() => clearTimeout(timer));
  });
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), output: () => printed };
}

/** Calls `start_crawl` as a client does whose first request this is; the subscription's entry, or an error with what came instead. */
export async function callCold(url: URL, job: string, signal?: AbortSignal): Promise<any> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "start_crawl", arguments: { job } } }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await answer.text();
  const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  const entry = JSON.parse(json).result?._meta?.[SUBSCRIPTION_META_KEY]?.[0];
  if (entry === undefined) throw new Error(`${job}: ${String(answer.status)} ${text}`);
  return entry;
}
