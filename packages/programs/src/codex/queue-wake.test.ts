import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunResult, Runner } from "../program/runner.ts";
import { confirmedQueueItem, queueWake } from "./queue-wake.ts";

const THREAD = "01a229be-00eb-7ea2-896f-c0f15ef07173";
const ITEM = "01a229be-05e9-77e1-93c2-a25adf4daa52";
const wake = { delivery: "d1", conversation: THREAD, text: "--help\nsecond line", occurrences: ["evt_01"] };
const state = { conversation: THREAD, unattended: false, lifecycle: "idle", facts: {} } as const;

function codexHome(): string {
  const home = mkdtempSync(join(tmpdir(), "codex-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function answering(result: Partial<RunResult>): Runner & { readonly calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = [];
  return {
    calls,
    run: (_command, args) => {
      calls.push(args);
      return Promise.resolve({ exitCode: 0, stdout: "", stderr: "", timedOut: false, ...result });
    },
  };
}

test("PC-24: is handed over once Codex confirms the queue item of this thread", async () => {
  const run = answering({ stdout: `Queued message ${ITEM} for thread ${THREAD}.\n` });
  await expect(queueWake(wake, state, { command: "codex", env: {}, home: codexHome() }, run)).resolves.toMatchObject({ state: "handed" });
});

test("PC-28: passes the text as one argument that can't become an option", async () => {
  const run = answering({});
  await queueWake(wake, state, { command: "codex", env: {}, home: codexHome() }, run);
  expect(run.calls).toEqual([["queue", "--thread", THREAD, "--message=--help\nsecond line"]]);
});

test("PC-24: a command that leaves with 0 and says nothing has handed nothing over", async () => {
  await expect(queueWake(wake, state, { command: "codex", env: {}, home: codexHome() }, answering({}))).resolves.toMatchObject({
    state: "failed",
  });
});

test("PC-24: a command that hangs has handed nothing over", async () => {
  const run = answering({ exitCode: null, timedOut: true });
  const outcome = await queueWake(wake, state, { command: "codex", env: {}, home: codexHome() }, run);
  expect(outcome).toMatchObject({ state: "failed" });
  expect(outcome.detail).toContain("no answer within");
});

test("counts a wake as handed over that a killed command had put into the queue", async () => {
  const home = codexHome();
  writeFileSync(join(home, "queue_1.sqlite-wal"), `\0\0{"text":"[Wakeshift] a.b from A (app_1), occurrence evt_01, subscription sub_1"}\0`);
  await expect(
    queueWake(wake, state, { command: "codex", env: {}, home }, answering({ exitCode: null, timedOut: true })),
  ).resolves.toMatchObject({ state: "handed" });
});

test("doesn't take another thread's wake of the same occurrence for its own", async () => {
  const home = codexHome();
  writeFileSync(
    join(home, "queue_1.sqlite"),
    `\0{"text":"[Wakeshift] a.b from A (app_1), occurrence evt_01, subscription sub_other\\n"}\0`,
  );
  const codex = { command: "codex", env: {}, home };
  const silent = answering({ exitCode: 1 });
  await expect(queueWake({ ...wake, subscriptions: [["sub_own"]] }, state, codex, silent)).resolves.toMatchObject({ state: "failed" });
  await expect(queueWake({ ...wake, subscriptions: [["sub_own_too", "sub_other"]] }, state, codex, silent)).resolves.toMatchObject({
    state: "handed",
  });
});

test("takes no confirmation of another thread", () => {
  expect(confirmedQueueItem(`Queued message ${ITEM} for thread 01a229be-ffff-7ea2-896f-c0f15ef07173.`, THREAD)).toBeUndefined();
  expect(confirmedQueueItem("queued", THREAD)).toBeUndefined();
});
