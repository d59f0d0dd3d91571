import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { frameworkModules } from "./frameworks.ts";
import { freePort } from "./free-port.ts";

/** A running xmcp application: built and served by xmcp's own development command. */
export interface XmcpApp {
  readonly url: string;
  /** What it has printed so far. */
  readonly output: () => string;
  close(): Promise<void>;
}

const FIXTURE = fileURLToPath(new URL("../fixtures/xmcp-app", import.meta.url));
const SDK = fileURLToPath(new URL("../../../packages/sdk", import.meta.url));
const START_LIMIT_MS = 150_000;

export async function startXmcpApp(env: Readonly<Record<string, string>>): Promise<XmcpApp> {
  const folder = await mkdtemp(join(tmpdir(), "xmcp-app-"));
  await cp(FIXTURE, folder, { recursive: true });
  await linkModules(join(folder, "node_modules"));
  const port = String(await freePort());
  const child = spawn(process.execPath, [join(frameworkModules("xmcp"), "xmcp", "dist", "cli.js"), "dev"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", PORT: port, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: xmcp runs the server as a child of itself.
    detached: true,
  });
  let printed = "";
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`xmcp didn't serve in time:\n${printed}`)), START_LIMIT_MS);
      const read = (chunk: Buffer): void => {
        printed += String(chunk);
        if (/running on http/i.test(printed)) resolve();
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("error", reject);
      child.once("close", () => reject(new Error(`xmcp ended:\n${printed}`)));
      void ended.finally(() => clearTimeout(timer));
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}/mcp`, output: () => printed, close };
}

/** Everything of the framework's own install, and the SDK as an author would have it beside it. */
async function linkModules(modules: string): Promise<void> {
  const installed = frameworkModules("xmcp");
  await mkdir(join(modules, "@wakeshift"), { recursive: true });
  for (const name of await readdir(installed)) await symlink(join(installed, name), join(modules, name));
  await symlink(SDK, join(modules, "@wakeshift", "sdk"));
}
