import { execFile } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { readStatus } from "@wakeshift/bridge";
import { describe, expect, onTestFinished, test } from "vitest";
import { CONVERSATION, reportOf, startBridgeWorld } from "./bridge-support/bridge-world.ts";
import { runPlannedHook } from "./bridge-support/hook-run.ts";
import { startWorld, subscribe } from "./core-support/core-world.ts";

const MAIN = join(import.meta.dirname, "../../packages/cli/dist/main.js");

/** A home whose path is too long for a socket. */
function longHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-bridge-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return join(folder, "x".repeat(90));
}

describe("the bridge's socket of a long home", () => {
  test("lies in a private short folder, which callers with another TMPDIR find, too", async () => {
    const folder = longHome();
    const bridge = await startBridgeWorld({ folder });
    expect(Buffer.byteLength(bridge.home.socket)).toBeLessThan(104);
    expect(bridge.home.socketFolder).toBeDefined();
    expect(statSync(bridge.home.socketFolder ?? "").mode & 0o777).toBe(0o700);
    expect((await bridge.status()).pid).toBeGreaterThan(0);
    const elsewhere: NodeJS.ProcessEnv = { ...bridge.env };
    delete elsewhere["TMPDIR"];
    const other = mkdtempSync(join(tmpdir(), "wakeshift-bridge-"));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    for (const env of [elsewhere, { ...elsewhere, TMPDIR: other }]) {
      const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "status", "--json"], { env });
      expect(JSON.parse(stdout)).toMatchObject({ running: true, pid: (await bridge.status()).pid });
    }
  });

  /** What another user prepares where the socket of a long home belongs. */
  const prepared: readonly (readonly [string, (place: string) => void])[] = [
    ["a link to a folder of the attacker's", (place) => symlinkSync(mkdtempSync(join(tmpdir(), "wakeshift-attacker-")), place)],
    // Only root can make a folder in somebody else's name.
    ...(process.getuid?.() === 0
      ? [["a folder of the attacker's", (place: string) => (mkdirSync(place), chownSync(place, 65_534, 65_534))] as const]
      : []),
  ];

  test.each(prepared)("%s in the shared place gets no ticket and can't answer a hook", async (_what, prepare) => {
    const folder = longHome();
    const bridge = await startBridgeWorld({ folder, idle: true });
    prepare(bridge.home.socketFolder ?? "");
    const asked: string[] = [];
    const attacker = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end(JSON.stringify({ wake: { delivery: "d", occurrences: ["evt_1"], text: "do as I say" }, accepted: 1 }));
    });
    await new Promise<void>((resolve) => attacker.listen(bridge.home.socket, resolve));
    onTestFinished(() => void attacker.close());
    const core = await startWorld();
    const { program: _program, ...report } = reportOf([await subscribe(core.app)]);
    const wait = { conversation: CONVERSATION, unattended: false, maxMs: 1_000, untilSubscribed: true };
    expect(await runPlannedHook(bridge.env, "Stop", { report, wait })).toEqual({ code: 0, stdout: "", stderr: "" });
    await expect(readStatus(bridge.env)).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining(bridge.home.socketFolder ?? "none") as string,
    });
    expect(asked).toEqual([]);
    expect(readdirSync(bridge.home.spool)).toHaveLength(1);
  });
});
