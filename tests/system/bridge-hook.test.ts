import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type AttachLine, type AttachRequest, readStatus, registerLocalCore, runHook, startBridge, stopBridge } from "@wakeshift/bridge";
import type { HookReport } from "@wakeshift/programs";
import { describe, expect, onTestFinished, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import type { Subscribed } from "./core-support/core-world.ts";
import { killHard } from "./bridge-support/bridge-processes.ts";
import { CONVERSATION, reportOf, startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { plannedProgram, runPlannedHook } from "./bridge-support/hook-run.ts";

const SILENT = { code: 0, stdout: "", stderr: "" };

function reported(subscribed: readonly Subscribed[], changes: Partial<HookReport> = {}): HookReport {
  const { program: _, ...report } = reportOf(subscribed);
  return { ...report, ...changes };
}

/** A file system that takes nothing, `undefined` where this user may mount none. */
function readOnlyFolder(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-read-only-"));
  onTestFinished(() => {
    spawnSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return spawnSync("mount", ["-t", "tmpfs", "-o", "ro,mode=700", "tmpfs", folder]).status === 0 ? folder : undefined;
}

const waitFor = { conversation: CONVERSATION, unattended: false, maxMs: 20_000 };

describe("a hook where nothing is subscribed", () => {
  test("leaves at once with nothing said, and starts no bridge", async () => {
    const bridge = await startBridgeWorld({ idle: true });
    const plans = [
      {},
      { report: reported([]) },
      { report: reported([], { results: [{ tool: "t", meta: { other: 1 } }] }) },
      { report: reported([]), wait: waitFor },
      { wait: waitFor },
    ];
    for (const plan of plans) expect(await runPlannedHook(bridge.env, "Any", plan)).toEqual(SILENT);
    expect(await readStatus(bridge.env)).toBeUndefined();
    // But for the record that a hook ran, which `doctor` takes as proof.
    expect(readdirSync(bridge.home.folder)).toEqual(["hook-runs"]);
  });

  test("takes input that is none without a word", async () => {
    const bridge = await startBridgeWorld({ idle: true });
    for (const input of ["", "{", "null", "7", "[]", '{"report":null}', "x".repeat(17_000_000)]) {
      expect(await runPlannedHook(bridge.env, "Any", input)).toEqual(SILENT);
    }
    expect(await readStatus(bridge.env)).toBeUndefined();
  });

  test("an unknown program is no fault of the program's", async () => {
    const bridge = await startBridgeWorld({ idle: true });
    const streams = { stdin: new PassThrough().end(), stdout: new PassThrough(), stderr: new PassThrough() };
    mkdirSync(bridge.home.folder, { recursive: true });
    expect(await runHook(["nonsense", "Stop"], { env: bridge.env, ...streams })).toBe(0);
    expect(await runHook([], { env: bridge.env, ...streams })).toBe(0);
    expect(readFileSync(bridge.home.hookLog, "utf8")).toContain("nonsense Stop: no such program");
  });

  test("a program whose reading fails ends in the log, not in the program", async () => {
    const bridge = await startBridgeWorld({ idle: true });
    const program = {
      ...plannedProgram,
      readHook: () => {
        throw new Error("unforeseen");
      },
    };
    expect(await runPlannedHook(bridge.env, "Stop", "{}", program)).toEqual(SILENT);
    expect(readFileSync(bridge.home.hookLog, "utf8")).toContain("unforeseen");
  });
});

describe("a hook whose call subscribed", () => {
  test("starts the bridge, and a waiting hook hands the wake over with the program's own signal", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core, idle: true });
    expect(await runPlannedHook(bridge.env, "PostToolUse", { report: reported([await subscribe(core.app)]) })).toEqual(SILENT);
    expect(await bridge.status()).toMatchObject({ subscriptions: 1 });
    const waiting = runPlannedHook(bridge.env, "Stop", { report: reported([], { lifecycle: "idle" }), wait: waitFor });
    const occurrence = await emit(core.app);
    const end = await waiting;
    expect(end).toMatchObject({ code: 7, stderr: "" });
    expect(end.stdout).toMatch(new RegExp(`^Stop:\\[Wakeshift\\] crawl.finished from Crawler .* occurrence ${occurrence}`));
    expect((await bridge.status()).pending).toMatchObject([{ occurrence, state: "leased" }]);
    await runPlannedHook(bridge.env, "Stop", { report: reported([], { seen: [occurrence] }) });
    await until("the ack", async () => (await bridge.status()).pending.length === 0 && (await bridge.status()).unsent_acks === 0);
  });

  test("keeps waiting while the bridge is killed and comes back", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    const waiting = runPlannedHook(bridge.env, "Stop", { wait: waitFor });
    await until("the waiter", async () => (await bridge.status()).cores[0]?.connected);
    await killHard((await bridge.status()).pid);
    const occurrence = await emit(core.app);
    expect((await waiting).stdout).toContain(occurrence);
  });

  test("waits, where its plan says so, until something is subscribed", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core, idle: true });
    const waiting = runPlannedHook(bridge.env, "SessionStart", { wait: { ...waitFor, untilSubscribed: true } });
    await runPlannedHook(bridge.env, "PostToolUse", { report: reported([await subscribe(core.app)]) });
    const occurrence = await emit(core.app);
    expect((await waiting).stdout).toContain(occurrence);
  });

  test("leaves when its program ends", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    const program = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    onTestFinished(() => void program.kill("SIGKILL"));
    const waiting = runPlannedHook(bridge.env, "Stop", { wait: { ...waitFor, pid: program.pid ?? 0 } });
    program.kill("SIGKILL");
    expect(await waiting).toEqual(SILENT);
  });

  test("leaves when its longest wait is over", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    expect(await runPlannedHook(bridge.env, "Stop", { wait: { ...waitFor, maxMs: 300 } })).toEqual(SILENT);
  });

  test("shows once that a core waits for an answer, at an event that can show it", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld();
    const report = reported([await subscribe(core.app)]);
    expect(await runPlannedHook(bridge.env, "Quiet", { report })).toEqual(SILENT);
    const shown = await runPlannedHook(bridge.env, "PostToolUse", { report });
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`notice:Wakeshift: ${core.url} would like to wake`) as string });
    expect(await runPlannedHook(bridge.env, "PostToolUse", { report })).toEqual(SILENT);
  });

  test("a program whose environment is large is woken as any other", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    const facts = { path: Array.from({ length: 3_000 }, (_, place) => `/opt/tools-${place}/bin`).join(":") };
    await runPlannedHook(bridge.env, "PostToolUse", { report: reported([await subscribe(core.app)], { facts }) });
    expect(await bridge.status()).toMatchObject({ subscriptions: 1 });
  });

  test.each(["a file stands in its way", "its file system is read-only"])(
    "where Wakeshift's folder can't be written to, since %s, it leaves at once with nothing said, and commands say why",
    async (why) => {
      const core = await startWorld();
      const place = mkdtempSync(join(tmpdir(), "wakeshift-unwritable-"));
      onTestFinished(() => rmSync(place, { recursive: true, force: true }));
      const WAKESHIFT_HOME = why.includes("read-only") ? join(readOnlyFolder() ?? "/proc", "home") : join(place, "file", "home");
      writeFileSync(join(place, "file"), "");
      const env = { ...process.env, WAKESHIFT_HOME };
      const from = performance.now();
      const plan = { report: reported([await subscribe(core.app)]), wait: waitFor };
      expect(await runPlannedHook(env, "PostToolUse", plan)).toEqual(SILENT);
      expect(performance.now() - from).toBeLessThan(5_000);
      const refusal = { code: "bad_request", message: expect.stringContaining(`${WAKESHIFT_HOME}: `) as string };
      await expect(startBridge(env)).rejects.toMatchObject(refusal);
      expect(() => registerLocalCore(WAKESHIFT_HOME, core.url)).toThrow(/Set WAKESHIFT_HOME/);
    },
  );

  test("a report no bridge took is kept for the next one", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await stopBridge(bridge.env);
    // A folder where the socket belongs: no bridge can start.
    mkdirSync(bridge.home.socket);
    writeFileSync(join(bridge.home.socket, "in-the-way"), "");
    expect(await runPlannedHook(bridge.env, "PostToolUse", { report: reported([await subscribe(core.app)]) })).toEqual(SILENT);
    expect(readdirSync(bridge.home.spool)).toHaveLength(1);
    expect(existsSync(bridge.home.hookLog)).toBe(true);
    rmSync(bridge.home.socket, { recursive: true });
    await startBridge(bridge.env);
    await until("the report to be taken", async () => (await bridge.status()).subscriptions === 1);
    // Taken away only once it is acted on, so that a stop in between loses nothing.
    await until("the report to be gone", async () => readdirSync(bridge.home.spool).length === 0);
  });
});

describe("the attach pipe", () => {
  function attach(env: NodeJS.ProcessEnv): {
    send: (request: AttachRequest | string) => void;
    lines: AttachLine[];
    end: () => Promise<number>;
  } {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const lines: AttachLine[] = [];
    let rest = "";
    stdout.on("data", (chunk: Buffer) => {
      const parts = (rest + chunk.toString("utf8")).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((line) => JSON.parse(line) as AttachLine));
    });
    const running = runHook(["cursor", "attach"], { env, stdin, stdout, stderr, findProgram: () => Promise.resolve(plannedProgram) });
    return {
      send: (request) => void stdin.write(`${typeof request === "string" ? request : JSON.stringify(request)}\n`),
      lines,
      end: () => {
        stdin.end();
        return running;
      },
    };
  }

  test("carries reports, wakes of several conversations and their outcomes, and closes them at its end", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    const pipe = attach(bridge.env);
    pipe.send({ id: 1, do: "listen", conversation: "one", unattended: false });
    pipe.send({ id: 2, do: "listen", conversation: "two", unattended: false });
    pipe.send({ id: 3, do: "report", report: reported([await subscribe(core.app)], { conversation: "one" }) });
    pipe.send({
      id: 4,
      do: "hook",
      event: "any",
      input: { report: reported([await subscribe(core.app, { arguments: { job: "b" } })], { conversation: "two" }) },
    });
    await until("the answers", () => pipe.lines.length === 4);
    expect(pipe.lines.find((line) => "id" in line && line.id === 3)).toMatchObject({ ok: true, report: { accepted: 1, live: 1 } });
    const a = await emit(core.app, { arguments: { job: "a" } });
    const b = await emit(core.app, { arguments: { job: "b" } });
    const wakes = await until("both wakes", () => {
      const found = pipe.lines.flatMap((line) => ("do" in line && line.do === "wake" ? [line.wake] : []));
      return found.length === 2 && found;
    });
    expect(Object.fromEntries(wakes.map((wake) => [wake.conversation, wake.occurrences]))).toEqual({ one: [a], two: [b] });
    wakes.forEach((wake, place) => pipe.send({ id: 10 + place, do: "outcome", delivery: wake.delivery, state: "handed" }));
    await until("the acks", async () => (await bridge.status()).pending.length === 0);
    expect(await pipe.end()).toBe(0);
    await emit(core.app, { arguments: { job: "a" } });
    await until("the conversation to be closed", async () => (await bridge.status()).pending[0]?.state === "conversation_closed");
  });

  test("answers lines that are no requests, and goes on", async () => {
    const bridge = await startBridgeWorld({ idle: true });
    const pipe = attach(bridge.env);
    pipe.send("{");
    pipe.send('{"id":5,"do":"dance"}');
    pipe.send("null");
    pipe.send({ id: 6, do: "silence", conversation: "none" });
    await until("four answers", () => pipe.lines.length === 4);
    expect(pipe.lines.map((line) => ("ok" in line ? line.ok : undefined))).toEqual(expect.arrayContaining([false, false, false, true]));
    await pipe.end();
    expect(await readStatus(bridge.env)).toBeUndefined();
  });

  test("gives way to a newer process that listens to the same conversation", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    const [older, newer] = [attach(bridge.env), attach(bridge.env)];
    older.send({ id: 1, do: "listen", conversation: CONVERSATION, unattended: false });
    await until("the older to listen", () => older.lines.length === 1);
    newer.send({ id: 1, do: "listen", conversation: CONVERSATION, unattended: false });
    await until("the older to leave", () => older.lines.some((line) => "do" in line && line.do === "left"));
    const occurrence = await emit(core.app);
    const wake = await until("the wake", () => newer.lines.flatMap((line) => ("do" in line && line.do === "wake" ? [line.wake] : []))[0]);
    expect(wake.occurrences).toEqual([occurrence]);
    expect(older.lines.some((line) => "do" in line && line.do === "wake")).toBe(false);
    await newer.end();
    await older.end();
  });
});
