import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBridge, stopBridge } from "@wakeshift/bridge";
import { describe, expect, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import { listeningTcp } from "./bridge-support/bridge-processes.ts";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("the bridge is reached by this user only", () => {
  test("listens on no TCP port, in none of its processes (PC-48)", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await until("the stream is live", async () => (await bridge.status()).cores[0]?.connected);
    const { pid, supervisor } = await bridge.status();
    expect(listeningTcp(process.pid)).not.toEqual([]);
    expect(listeningTcp(pid)).toEqual([]);
    expect(listeningTcp(supervisor)).toEqual([]);
  });

  test("every file is 0600 and every folder 0700", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await emit(core.app);
    await bridge.take();
    await bridge.call("POST", "/v1/set", { key: "wake-budget", value: "7" });
    await bridge.call("POST", "/v1/allow", { origin: "https://wake.example.com" });
    const { folder } = bridge.home;
    expect(mode(folder)).toBe("700");
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.name.endsWith(".tmp"));
    expect(found.map((entry) => entry.name)).toEqual(
      expect.arrayContaining([
        "holder",
        "bridge.sock",
        "tickets.json",
        "wakes.json",
        "trust.json",
        "settings.json",
        "bridge.log",
        "live",
        "occurrences",
      ]),
    );
    for (const entry of found) {
      const path = join(entry.parentPath, entry.name);
      expect([path, mode(path)]).toEqual([path, entry.isDirectory() ? "700" : "600"]);
    }
  });
});

describe("requests that aren't as they should be", () => {
  const refusals = async (bridge: BridgeWorld): Promise<void> => {
    const report = { program: "cursor", conversation: "c", unattended: false, results: [] };
    const cases: [string, string, unknown, number, string][] = [
      ["POST", "/v1/report", "{", 400, "bad_request"],
      ["POST", "/v1/report", "", 400, "bad_request"],
      ["POST", "/v1/report", "[]", 400, "bad_request"],
      ["POST", "/v1/report", { ...report, program: "nonsense" }, 400, "bad_request"],
      ["POST", "/v1/report", { ...report, conversation: "" }, 400, "bad_request"],
      ["POST", "/v1/report", { ...report, conversation: 7 }, 400, "bad_request"],
      ["POST", "/v1/report", { ...report, conversation: "x".repeat(501) }, 400, "bad_request"],
      ["POST", "/v1/report", { ...report, results: "all" }, 400, "bad_request"],
      ["POST", "/v1/report", { ...report, pid: -1 }, 400, "bad_request"],
      ["POST", "/v1/report", { ...report, lifecycle: "asleep" }, 400, "bad_request"],
      ["POST", "/v1/report", { ...report, facts: { a: "x".repeat(140_000) } }, 400, "bad_request"],
      ["POST", "/v1/report", `${"[".repeat(50_000)}${"]".repeat(50_000)}`, 400, "bad_request"],
      ["POST", "/v1/report", JSON.stringify({ ...report, more: "x".repeat(3_000_000) }), 413, "payload_too_large"],
      ["POST", "/v1/take", { program: "cursor", conversation: "c", taker: "t", unattended: false, wait_ms: 60_000 }, 400, "bad_request"],
      ["POST", "/v1/outcome", { delivery: "d", state: "lost" }, 400, "bad_request"],
      ["POST", "/v1/allow", { origin: "ftp://wake.example.com" }, 400, "bad_request"],
      ["POST", "/v1/allow", { origin: "http://wake.example.com" }, 400, "bad_request"],
      ["POST", "/v1/set", { key: "resume", value: "sometimes" }, 400, "bad_request"],
      ["POST", "/v1/set", { key: "wake-budget", value: "0" }, 400, "bad_request"],
      ["POST", "/v1/set", { key: "__proto__", value: "1" }, 400, "bad_request"],
      ["POST", "/v1/end", { id: "sub_none" }, 404, "unknown_subscription"],
      ["GET", "/v1/occurrences/..%2f..%2fholder", undefined, 404, "bad_request"],
      ["GET", "/v1/report", undefined, 501, "unsupported"],
      ["POST", "/v2/report", report, 501, "unsupported"],
    ];
    for (const [method, path, body, status, code] of cases) {
      const answer = await bridge.call<{ error: { code: string; message: string } }>(method, path, body);
      expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, status, code]);
      expect(answer.body.error.message).toMatch(/^.{10,}$/);
    }
  };

  test("are refused with a code and a sentence, and the bridge goes on", async () => {
    const bridge = await startBridgeWorld();
    const { pid } = await bridge.status();
    await refusals(bridge);
    expect((await bridge.status()).pid).toBe(pid);
  });
});

describe("state files that can't be used", () => {
  test("are kept aside, named in the log, and the bridge goes on", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await stopBridge(bridge.env);
    const { home } = bridge;
    const broken: Record<string, string> = {
      [home.tickets]: '{"v":1,"tickets":[',
      [home.wakes]: "null",
      [home.trust]: '{"v":2}',
      [home.settings]: "\u0000\u0001",
      [home.outbox]: '"text"',
    };
    for (const [path, text] of Object.entries(broken)) writeFileSync(path, text);
    writeFileSync(home.localCores, "[1");
    await startBridge(bridge.env);
    expect(await bridge.status()).toMatchObject({ subscriptions: 0, pending: [], settings: { resume: "never", "wake-budget": 60 } });
    const log = readFileSync(home.log, "utf8");
    const names = readdirSync(home.folder);
    for (const [path, text] of Object.entries(broken)) {
      const kept = names.find((name) => join(home.folder, name).startsWith(`${path}.corrupt-`));
      expect(kept, path).toBeDefined();
      expect(readFileSync(join(home.folder, kept ?? ""), "utf8")).toBe(text);
      expect(log).toContain(kept);
    }
    const next = await subscribe(core.app);
    expect(await bridge.report([next])).toMatchObject({ accepted: 1 });
  });

  test("one bad entry among good ones costs only itself", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await stopBridge(bridge.env);
    const document = JSON.parse(readFileSync(bridge.home.tickets, "utf8")) as { tickets: unknown[] };
    writeFileSync(bridge.home.tickets, JSON.stringify({ ...document, tickets: [...document.tickets, { ticket: 7 }, null] }));
    await startBridge(bridge.env);
    expect((await bridge.status()).subscriptions).toBe(1);
  });

  test("a lost file of the holder's secret is made up for by the copy that is kept with the tickets", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await until("the stream is live", async () => (await bridge.status()).cores[0]?.connected);
    await stopBridge(bridge.env);
    writeFileSync(bridge.home.holder, "");
    await startBridge(bridge.env);
    const occurrence = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });

  test("a lost secret without a copy makes the old tickets unknown, and new ones work", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await until("the stream is live", async () => (await bridge.status()).cores[0]?.connected);
    await stopBridge(bridge.env);
    writeFileSync(bridge.home.holder, "");
    const { holder: _, ...document } = JSON.parse(readFileSync(bridge.home.tickets, "utf8")) as Record<string, unknown>;
    writeFileSync(bridge.home.tickets, JSON.stringify(document));
    await startBridge(bridge.env);
    await until("the old one to end", async () => (await bridge.status()).subscriptions === 0);
    await bridge.report([await subscribe(core.app)]);
    const occurrence = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });
});

describe("secrets", () => {
  test("stand in no log, no status, no list and no error", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    const subscribed = await subscribe(core.app);
    await bridge.report([subscribed]);
    await emit(core.app);
    const { wake } = await bridge.take();
    await bridge.outcome(wake?.delivery ?? "", "failed");
    const outputs = [
      JSON.stringify(await bridge.status()),
      JSON.stringify((await bridge.call("GET", "/v1/subscriptions")).body),
      JSON.stringify((await bridge.call("POST", "/v1/end", { id: subscribed.ticket })).body),
      JSON.stringify((await bridge.call("POST", "/v1/set", { key: subscribed.ticket, value: subscribed.session })).body),
      JSON.stringify((await bridge.call("GET", `/v1/occurrences/${subscribed.ticket}`)).body),
      JSON.stringify((await bridge.call("GET", `/${subscribed.ticket}`)).body),
      wake?.text ?? "",
    ];
    await core.core.close();
    await until("the loss to be logged", () => readFileSync(bridge.home.log, "utf8").includes("not connected"));
    outputs.push(readFileSync(bridge.home.log, "utf8"));
    if (existsSync(bridge.home.hookLog)) outputs.push(readFileSync(bridge.home.hookLog, "utf8"));
    const holder = readFileSync(bridge.home.holder, "utf8").trim();
    for (const output of outputs) {
      for (const secret of [subscribed.ticket, subscribed.session, holder]) expect(output).not.toContain(secret);
    }
  });
});
