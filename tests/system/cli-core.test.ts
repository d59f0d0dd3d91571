import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { McpServer } from "@modelcontextprotocol/server";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BUILT as COMMAND, cliWorld, type CliWorld } from "./cli-support/cli-world.ts";
import { closedAfterTest, openClient } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";

interface Dev {
  readonly url: string;
  readonly data: string;
  readonly app: string;
  readonly key_file: string;
}
interface NewKey {
  readonly key: { readonly id: string; readonly key: string };
}
interface Apps {
  readonly apps: readonly {
    readonly id: string;
    readonly name: string;
    readonly keys: readonly { readonly id: string; readonly revoked?: string }[];
  }[];
}

const dev = async (world: CliWorld, args: readonly string[] = []): ReturnType<typeof world.start<Dev>> =>
  world.start<Dev>(["dev", "--port", "0", ...args]);

/** A machine on which a core has run once, so that there is a database. */
async function withDatabase(): Promise<CliWorld> {
  const world = cliWorld();
  await (await world.start(["serve", "--port", "0"])).stop();
  return world;
}

describe("wakeshift dev", () => {
  test("makes an app and a key that only this user can read, and keeps both over a restart", async () => {
    const world = cliWorld();
    const first = await dev(world);
    expect(statSync(first.first.key_file).mode & 0o777).toBe(0o600);
    const key = readFileSync(first.first.key_file, "utf8");
    expect(key).toMatch(/^wst_\w{50}\n$/);
    await first.stop();
    const second = await dev(world);
    expect(second.first.app).toBe(first.first.app);
    expect(readFileSync(second.first.key_file, "utf8")).toBe(key);
  });

  test("PC-36 a second core on the same data leaves with 1 and says why", async () => {
    const world = cliWorld();
    await dev(world);
    const second = await world.run(["serve", "--port", "0"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      /^wakeshift: Another Wakeshift core is running on .+ \(--data\) and a port \(--port\) .+ \(already_running\)\n$/,
    );
  });

  test("a port in use is named, with what to do", async () => {
    const world = cliWorld();
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void blocker.close());
    const { port } = blocker.address() as AddressInfo;
    const refused = await world.run(["dev", "--port", String(port)]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`port ${String(port)}`);
    expect(refused.stderr).toContain("(port_in_use)");
    expect(refused.stderr).toContain("--port");
    expect(refused.stderr).toContain("--data");
  });

  test.each(["70000", "-1", "x", ""])("refuses --port %j", async (port) => {
    const refused = await cliWorld().run(["dev", `--port=${port}`]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("--port takes a number from 0 to 65535");
  });
});

test.each(["dev", "serve"])(
  "%s runs where it can't be noted for the bridge of its machine, and says how agents there are woken by it",
  async (command) => {
    const world = cliWorld();
    writeFileSync(join(world.home, "a-file"), "");
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: world.home,
      WAKESHIFT_HOME: join(world.home, "a-file", "wakeshift"),
      WAKESHIFT_COMMAND: "npx wakeshift",
    };
    const args = [COMMAND, command, "--port", "0", "--data", join(world.home, "data")];
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const firstLine = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
    const url = /http:\/\/[\d.:]+/.exec(firstLine)?.[0] ?? "";
    await vi.waitFor(() => expect(stderr).toContain(`npx wakeshift allow ${url}\n`), 20_000);
    expect(stderr).toContain(`${join(world.home, "a-file", "wakeshift")}: a file stands where a folder is needed.`);
    expect((await fetch(`${url}/readyz`)).ok).toBe(true);
  },
);

test("serve says in one line of JSON that it listens, where no terminal reads it", async () => {
  const world = cliWorld();
  const child = spawn(process.execPath, [COMMAND, "serve", "--port", "0"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: world.home, WAKESHIFT_HOME: join(world.home, "wakeshift") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((resolve) => lines.once("line", resolve));
  expect(JSON.parse(line)).toMatchObject({ url: expect.stringMatching(/^http:/) as string, pid: child.pid });
  const stderr: string[] = [];
  createInterface({ input: child.stderr }).on("line", (logged) => stderr.push(logged));
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("close", resolve));
  for (const logged of stderr) expect(JSON.parse(logged)).toHaveProperty("level");
});

describe("apps and keys beside a running core", () => {
  test.each([
    ["app", "create", "Crawler"],
    ["app", "list"],
    ["key", "create", "Crawler"],
    ["key", "revoke", "kid"],
  ])("PC-62 %s %s makes no database, and names the one that isn't there", async (...args) => {
    const world = cliWorld();
    const refused = await world.run(args);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`There is no database at ${join(world.home, "wakeshift", "core", "wakeshift.db")}`);
    expect(refused.stderr).toContain("--data or WAKESHIFT_DATABASE_URL");
    expect(existsSync(join(world.home, "wakeshift"))).toBe(false);
  });

  test.each([
    ["a file named by the environment of its service only", "it's there/core.sqlite"],
    ["a folder of its own", "a folder/wakeshift.db"],
  ])("PC-62 the command that serve prints reaches its database, and what it makes is named with it: %s", async (_what, below) => {
    const world = cliWorld();
    const database = join(world.home, below);
    const env = { WAKESHIFT_DATABASE_URL: database };
    const { first } = await world.start<{ readonly app_create: string; readonly url: string }>(["serve", "--port", "0"], env);
    const bin = join(world.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${COMMAND}" "$@"\n`, { mode: 0o755 });
    const plain = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: world.home };
    const line = execFileSync("sh", ["-c", `${first.app_create} --json`], { env: plain, cwd: bin, encoding: "utf8" });
    const made = JSON.parse(line) as NewKey & { readonly database: string };
    expect(made.database).toBe(database);
    const emit = ["emit", "no.such", "--args", "{}", "--payload", "1", "--core", first.url];
    expect((await world.run(emit, { WAKESHIFT_KEY: made.key.key })).stderr).toContain("(unknown_event)");
    const second = await world.run(["key", "create", "NAME"], env);
    expect(second.stdout).toContain(`in ${database}.`);
  });

  test("a key has the name it was made with, and one that can't be a name is refused", async () => {
    const world = await withDatabase();
    await world.json(["app", "create", "Crawler"]);
    await world.json(["key", "create", "Crawler", "--name", "on the test server"]);
    const { apps } = await world.json<{ readonly apps: readonly { readonly keys: readonly { readonly name: string }[] }[] }>([
      "app",
      "list",
    ]);
    expect(apps[0]?.keys.map((key) => key.name).sort()).toEqual(["first key", "on the test server"]);
    expect((await world.run(["key", "create", "Crawler", "--name", ""])).stderr).toContain("(bad_request)");
  });

  test("a new key works at once, and a revoked one is refused within a second", async () => {
    const world = cliWorld();
    const core = await dev(world);
    const { key } = await world.json<NewKey>(["key", "create", "dev"]);
    const emit = (): ReturnType<typeof world.run> =>
      world.run(["emit", "no.such", "--args", "{}", "--payload", "1", "--core", core.first.url, "--json"], { WAKESHIFT_KEY: key.key });
    const code = async (): Promise<string> => (JSON.parse((await emit()).stdout) as { error: { code: string } }).error.code;
    expect(await code()).toBe("unknown_event");
    await world.json(["key", "revoke", key.id]);
    await vi.waitFor(async () => expect(await code()).toBe("unauthorized"), { timeout: 45_000, interval: 50 });
    const { apps } = await world.json<Apps>(["app", "list"]);
    expect(apps.find((app) => app.name === "dev")?.keys.find((each) => each.id === key.id)?.revoked).toBeDefined();
  });

  test("a name that is taken, an unknown app and an unknown key leave with 1", async () => {
    const world = await withDatabase();
    await world.json<NewKey>(["app", "create", "Crawler"]);
    for (const args of [
      ["app", "create", "Crawler"],
      ["key", "create", "nobody"],
      ["key", "revoke", "nothing"],
    ]) {
      const refused = await world.run(args);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/^wakeshift: .+ \(bad_request\)\n$/);
    }
  });

  test("works on a core elsewhere with its admin token, and not with another", async () => {
    const world = cliWorld();
    const token = crypto.randomUUID();
    const { first } = await world.start<{ readonly url: string }>(["serve", "--port", "0"], { WAKESHIFT_ADMIN_TOKEN: token });
    const created = await world.json<NewKey & { readonly app: { readonly id: string } }>(["app", "create", "Remote", "--core", first.url], {
      WAKESHIFT_ADMIN_TOKEN: token,
    });
    expect(created.key.key).toMatch(/^wst_/);
    const refused = await world.run(["app", "list", "--core", first.url], { WAKESHIFT_ADMIN_TOKEN: crypto.randomUUID() });
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain("(unauthorized)");
    expect((await world.run(["app", "list", "--core", first.url])).stderr).toContain("WAKESHIFT_ADMIN_TOKEN");
    expect((await world.run(["app", "list", "--core", "http://wake.example"], { WAKESHIFT_ADMIN_TOKEN: token })).stderr).toContain(
      "http is accepted only on loopback",
    );
  });
});

describe("wakeshift emit", () => {
  test("reads to the agent as an emit by the SDK does, unless it is given a line of its own", async () => {
    const core = closedAfterTest(await startCoreWorld());
    const server = new McpServer({ name: "crawler", version: "1.0.0" });
    core.wake.attach(server).registerTool("watch", { subscribes: [core.crawlFinished] }, async (_args, _context, call) => {
      await call.subscribe(core.crawlFinished, { job: "j1" });
      return { content: [] };
    });
    const client = await openClient("2.x McpServer", server);
    const result: any = await client.callTool({ name: "watch", arguments: {} });
    const { ticket } = result._meta[SUBSCRIPTION_META_KEY][0];
    await core.crawlFinished.emit({ job: "j1" }, { status: "done" });
    const emit = ["emit", "crawl.finished", "--args", '{"job":"j1"}', "--payload", '{ "status": "done" }', "--core", core.core.url];
    const world = cliWorld();
    for (const more of [[], ["--text", "Look here"]]) await world.json([...emit, ...more], { WAKESHIFT_KEY: core.key });
    const said: string[] = [];
    while (said.length < 3) {
      const { wakes } = await core.next([ticket], 20_000);
      expect(wakes.length).toBeGreaterThan(0);
      for (const wake of wakes) {
        said.push(wake.text);
        await core.ack(ticket, wake);
      }
    }
    const line = 'A crawl finished: {"status":"done"}';
    expect(said).toEqual([line, line, "Look here"]);
  });

  test.each([
    [["emit", "a.b", "--args", "[1]", "--payload", "1"], 1, "--args takes a JSON object"],
    [["emit", "a.b", "--args", "{", "--payload", "1"], 1, "--args isn't JSON"],
    [["emit", "a.b", "--args", "{}", "--payload", "{status: done}"], 1, "--payload isn't JSON"],
    [["emit", "a.b", "--args", "{}"], 2, "--payload"],
    [["emit"], 2, "Required option"],
    [["emit", "a.b", "--args", "{}", "--payload", "1"], 1, "WAKESHIFT_KEY"],
  ])("%j leaves with %i and says what is wrong", async (args, code, sentence) => {
    const refused = await cliWorld().run(args);
    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(sentence);
  });

  test("a mistyped key is refused without being printed", async () => {
    const world = await withDatabase();
    const { key } = await world.json<NewKey>(["app", "create", "Crawler"]);
    const last = key.key.at(-1) === "2" ? "3" : "2";
    const mistyped = key.key.slice(0, -1) + last;
    const refused = await world.run(["emit", "a.b", "--args", "{}", "--payload", "1"], { WAKESHIFT_KEY: mistyped });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("(unauthorized)");
    expect(refused.stdout + refused.stderr).not.toContain(mistyped.slice(4, 20));
  });
});

describe("the command itself", () => {
  test.each([
    [["frob"], "Unknown command 'frob'. `wakeshift --help` lists the commands."],
    [["lisst"], "Unknown command 'lisst' (did you mean list?). `wakeshift --help` lists the commands."],
    [["list", "--frob"], "Unknown option '--frob'. `wakeshift list --help` says what it takes."],
    [["app", "create"], "Missing required argument 'name'. `wakeshift app create --help` says what it takes."],
    [["key", "frob"], "Unknown command 'frob'. `wakeshift key --help` lists the commands."],
    [["emit", "a.b"], "Required option '--args <json>' not specified. `wakeshift emit --help` says what it takes."],
  ])("%j leaves with 2, said as every failure is, with the help of the command concerned", async (args, message) => {
    const world = cliWorld();
    expect(await world.run(args)).toEqual({ code: 2, stdout: "", stderr: `wakeshift: ${message} (bad_request)\n` });
    expect(await world.run([...args, "--json"])).toEqual({
      code: 2,
      stdout: `${JSON.stringify({ error: { code: "bad_request", message } })}\n`,
      stderr: "",
    });
  });

  test("no command, and a group without one, print the help", async () => {
    const world = cliWorld();
    for (const args of [[], ["app"]]) {
      const { code, stderr } = await world.run(args);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^Usage: wakeshift/)]);
      expect(stderr).not.toContain("(bad_request)");
    }
  });

  test.each([
    ["hook", "--help"],
    ["hook", "-h"],
    ["hook", "codex", "--help"],
    ["help", "hook"],
  ])("%s %s prints the help of hooks and touches nothing", async (...args) => {
    const world = cliWorld();
    const { code, stdout, stderr } = await world.run(args);
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining("Usage: wakeshift hook"), ""]);
    expect(existsSync(join(world.home, "wakeshift"))).toBe(false);
    for (const silent of [["hook"], ["hook", "codex", "Stop"], ["hook", "nobody", "Stop"]])
      expect(await world.run(silent)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test.each([["hook"], ["hook", "codex", "Stop"], ["hook", "nobody", "Stop"]])("%s %s %s says nothing to the program", async (...args) => {
    expect(await cliWorld().run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("help and version are no usage errors", async () => {
    const world = cliWorld();
    expect((await world.run(["--help"])).code).toBe(0);
    expect((await world.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    ["list"],
    ["end", "sub_nothing"],
    ["show", "evt_nothing"],
    ["allow", "https://wake.example"],
    ["deny", "https://wake.example"],
    ["set", "resume", "never"],
  ])("%s starts a bridge where none runs, says so once beside its answer, and how to stop it", async (...args) => {
    const world = cliWorld();
    const said = /^Started the bridge: .+ `npx wakeshift bridge --stop` stops it\.\n/;
    const first = await world.run(args);
    expect(first.stderr).toMatch(said);
    expect(first.stdout).not.toContain("Started the bridge");
    const second = await world.run(args);
    expect([second.code, second.stdout, second.stderr]).toEqual([first.code, first.stdout, first.stderr.replace(said, "")]);
  });

  test("with --json a command that starts a bridge prints its answer and nothing else", async () => {
    expect(await cliWorld().run(["list", "--json"])).toEqual({ code: 0, stdout: '{"subscriptions":[]}\n', stderr: "" });
  });

  test("status, doctor and setup start no bridge", async () => {
    const world = cliWorld();
    for (const args of [["status"], ["doctor"], ["setup", "--remove"]]) await world.run(args, { PATH: "/nonexistent" });
    expect(await world.json(["bridge", "--stop"])).toEqual({ stopped: false });
  });

  test("a bridge that doesn't run is an answer", async () => {
    const world = cliWorld();
    expect(await world.json(["status"])).toEqual({ running: false });
    expect(await world.json(["list"])).toEqual({ subscriptions: [] });
    expect(await world.json<{ running: boolean }>(["status"])).toMatchObject({ running: true, subscriptions: 0 });
    const refused = await world.run(["end", "sub_nothing"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("(unknown_subscription)");
    expect((await world.run(["allow", "ftp://x"])).stderr).toContain("(bad_request)");
    expect((await world.run(["set", "resume", "sometimes"])).stderr).toContain("(bad_request)");
    expect(await world.json(["set", "resume", "always"])).toMatchObject({ resume: "always" });
  });

  test("a relative WAKESHIFT_HOME is one home with one bridge, not another one in each folder", async () => {
    const world = cliWorld();
    const env = { WAKESHIFT_HOME: "relative" };
    await world.json(["list"], env);
    const first = await world.json<{ pid: number; supervisor: number }>(["status"], env);
    await vi.waitFor(async () => expect((await world.json<{ supervisor: number }>(["status"], env)).supervisor).toBeGreaterThan(0), 45_000);
    const folder = join(world.home, "relative");
    expect(await world.json(["status"], { WAKESHIFT_HOME: folder })).toMatchObject({ pid: first.pid });
    expect(existsSync(join(folder, "relative"))).toBe(false);
    await world.run(["bridge", "--stop"], env);
  });
});
