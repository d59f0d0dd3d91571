import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatSecret } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { bridgeHome, type BridgeHome } from "../home.ts";
import type { ReportRequest } from "../local-api.ts";
import { spoolReport } from "../hook/spool-report.ts";
import { until } from "../stream/scripted-core.test.support.ts";
import type { Bridge } from "./bridge.ts";
import { entryOf, openBridge, reportOf } from "./bridge.test.support.ts";

const CORE = "https://core.example";

function setup(): { readonly home: BridgeHome; readonly bridge: Bridge } {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-storage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const home = bridgeHome(folder);
  return { home, bridge: openBridge({ home, retryMs: 300 }) };
}

function report(): ReportRequest {
  return reportOf(entryOf(CORE, formatSecret("ticket", randomBytes(32))));
}

/** A file that can't be replaced: what a full disk does to it, on any machine. */
function block(path: string): () => void {
  rmSync(path, { force: true });
  mkdirSync(path);
  return () => rmdirSync(path);
}

const isFull = { code: "storage_full", status: 503, retryable: true };

test.each<[string, keyof BridgeHome, (bridge: Bridge) => Promise<unknown>]>([
  ["a report", "tickets", (bridge) => bridge.report(report())],
  ["an ending", "tickets", (bridge) => bridge.end("sub_0")],
  ["a denial", "trust", (bridge) => bridge.deny({ origin: CORE })],
  ["an allowance", "trust", (bridge) => bridge.allow({ origin: CORE })],
  ["a setting", "settings", (bridge) => bridge.set("wake-budget", "7")],
])("%s that can't be written is answered with storage_full, and on disk by itself once there is room", async (_what, file, ask) => {
  const { home, bridge } = setup();
  const first = report();
  await bridge.report(JSON.parse(JSON.stringify(first).replaceAll("sub_1", "sub_0")) as ReportRequest);
  const path = home[file] ?? "";
  const release = block(path);
  await expect(ask(bridge)).rejects.toMatchObject(isFull);
  release();
  await until("the file", () => existsSync(path));
});

test("a spooled report stays in its file until it is on disk, and is taken then", async () => {
  const { home, bridge } = setup();
  const release = block(home.tickets);
  spoolReport(home, report());
  await until("the attempt", () => bridge.subscriptions().subscriptions.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(readdirSync(home.spool)).toHaveLength(1);
  release();
  await until("it to be taken", () => readdirSync(home.spool).length === 0);
  await bridge.close();
  expect(openBridge({ home, retryMs: 300 }).subscriptions().subscriptions).toHaveLength(1);
});

test("a spooled report that can't be read now stays, holds up no other, and is taken once it can", async () => {
  const { home, bridge } = setup();
  mkdirSync(join(home.spool, "000.json"), { recursive: true });
  spoolReport(home, report());
  await until("the other", () => bridge.subscriptions().subscriptions.length === 1);
  rmdirSync(join(home.spool, "000.json"));
  writeFileSync(join(home.spool, "000.json"), JSON.stringify({ ...report(), conversation: "d" }).replaceAll("sub_1", "sub_2"));
  await until("both", () => bridge.subscriptions().subscriptions.length === 2);
  await until("an empty spool", () => readdirSync(home.spool).length === 0);
});

test("a report taken from the spool shows no notice to nobody: it is kept for a hook that can show it", async () => {
  const { home, bridge } = setup();
  spoolReport(home, { ...report(), can_notice: true });
  await until("the report", () => bridge.subscriptions().subscriptions.length === 1);
  const told = await bridge.report({ program: "codex", conversation: "c", unattended: false, results: [], can_notice: true });
  expect(told.notice).toContain(CORE);
});

test.each([
  ["no JSON", "{"],
  ["no report", '{"program":"codex"}'],
])("a spooled file that is %s is given up, and holds up no other", async (_what, text) => {
  const { home, bridge } = setup();
  mkdirSync(home.spool, { recursive: true });
  writeFileSync(join(home.spool, "000.json"), text);
  spoolReport(home, report());
  await until("the report", () => bridge.subscriptions().subscriptions.length === 1);
  await until("an empty spool", () => readdirSync(home.spool).length === 0);
});

test.each<[string, (path: string, secret: string) => void, number]>([
  ["is gone", (path) => rmSync(path), 0],
  ["is cut short", (path, secret) => writeFileSync(path, secret.slice(0, 20)), 1],
  ["holds something else", (path) => writeFileSync(path, "{}\n"), 1],
])(
  "a holder whose file %s is the one that the tickets are bound to again, and status names the file set aside",
  async (_what, damage, aside) => {
    const { home, bridge } = setup();
    await bridge.report(report());
    await bridge.close();
    const secret = readFileSync(home.holder, "utf8");
    damage(home.holder, secret);
    const again = openBridge({ home });
    expect(readFileSync(home.holder, "utf8")).toBe(secret);
    expect(again.subscriptions().subscriptions).toHaveLength(1);
    expect(again.status().set_aside).toHaveLength(aside);
  },
);

test("a file of tickets that can't be read is set aside, and status names it until it is gone", async () => {
  const { home, bridge } = setup();
  await bridge.report(report());
  await bridge.close();
  const text = readFileSync(home.tickets, "utf8");
  writeFileSync(home.tickets, text.slice(0, text.length / 2));
  const again = openBridge({ home });
  const [aside = "", ...others] = again.status().set_aside ?? [];
  expect([readFileSync(aside, "utf8"), others]).toEqual([text.slice(0, text.length / 2), []]);
  rmSync(aside);
  expect(again.status().set_aside).toEqual([]);
});
