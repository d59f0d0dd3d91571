import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ProcessLock } from "../files/process-lock.ts";
import { bridgeHome, type BridgeHome } from "../home.ts";
import { readStatus, stopBridge } from "./commands.ts";
import { requestLocally } from "./local-request.ts";

interface Begun {
  readonly home: BridgeHome;
  readonly env: NodeJS.ProcessEnv;
  readonly lock: ProcessLock;
}

/** A bridge that holds its lock and doesn't listen. */
function bridgeThatHasBegun(): Begun {
  const folder = mkdtempSync(join(tmpdir(), "wks-begun-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = bridgeHome(folder);
  const lock = ProcessLock.acquire(home.workerLock);
  if (lock === undefined) throw new Error("the lock is taken");
  return { home, env: { WAKESHIFT_HOME: folder }, lock };
}

/** Resolves once somebody has asked in vain, so that what asked before has failed at least once, too. */
async function nobodyListens(home: BridgeHome): Promise<void> {
  await expect(requestLocally(home, { method: "GET", path: "/v1/status", timeoutMs: 5_000 })).rejects.toThrow("doesn't answer");
}

async function listen({ home }: Begun, answer: object): Promise<string[]> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify(answer));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(home.socket, resolve));
  return asked;
}

test("the state of a bridge that has begun and doesn't listen yet is waited for", async () => {
  const begun = bridgeThatHasBegun();
  const status = readStatus(begun.env);
  await nobodyListens(begun.home);
  await listen(begun, { pid: 7 });
  expect(await status).toEqual({ pid: 7 });
});

test("a bridge that has begun and doesn't listen yet is told to stop once it does", async () => {
  const begun = bridgeThatHasBegun();
  const stopped = stopBridge(begun.env);
  await nobodyListens(begun.home);
  const asked = await listen(begun, {});
  await expect.poll(() => asked).toContain("POST /v1/stop");
  begun.lock.release();
  expect(await stopped).toBe(true);
});

test("a bridge that ends before it ever listened is none", async () => {
  const begun = bridgeThatHasBegun();
  const status = readStatus(begun.env);
  const stopped = stopBridge(begun.env);
  await nobodyListens(begun.home);
  begun.lock.release();
  expect(await status).toBeUndefined();
  expect(await stopped).toBe(false);
});
