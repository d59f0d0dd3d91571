import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { changeSetting } from "@wakeshift/bridge";
import { expect, onTestFinished, test } from "vitest";
import { bridgeProcesses, killHard } from "./bridge-support/bridge-processes.ts";
import { until } from "./bridge-support/bridge-world.ts";
import { cutWorld, subscribedWorld, type CutWorld, type ScriptedSession, type Told } from "./cli-support/cut-world.ts";
import { AppClient } from "./core-support/core-client.ts";
import { CRAWL, emit, SDK, subscribe } from "./core-support/core-world.ts";

/** What a cut leaves: what the commands said of it, and how the fix that they named is run. */
interface Made {
  readonly world: CutWorld;
  readonly told: Told;
  readonly claude: ScriptedSession;
  /** Runs it. After that nothing is left to do but to emit. */
  fix(): Promise<unknown>;
  /** Where and with what the wake is emitted that has to arrive then. */
  readonly emitting?: { readonly core: string; readonly env: Readonly<Record<string, string>> };
}

/** One way that a wake can't arrive, and what names it. */
interface Cut {
  readonly cut: string;
  make(): Promise<Made>;
  readonly emit: RegExp;
  /** Its line and the one with the fix. */
  readonly doctor: RegExp;
  readonly status: RegExp;
}

const ASK_DOCTOR =
  /^Emitted: evt_\w+, 1 conversation is subscribed, but not connected: .* `npx wakeshift doctor`, run on the machine of the agent/;
const ASK_STATUS = /^Emitted: evt_\w+, 1 conversation is subscribed and connected\. `npx wakeshift status` on the machine of the agent/;
const NOTHING_HERE = /^The bridge isn't running: nothing on this machine is subscribed\. If .*`npx wakeshift doctor`/;

const arrived = (world: CutWorld) => (): Promise<unknown> =>
  until("the wake to be held", async () => ((await world.status())?.pending.length ?? 0) > 0);

/** A world where a tool was called, and no hook of ours ran. */
async function unheard(
  prepare: (world: CutWorld) => Promise<void> | void,
): Promise<CutWorld & { readonly claude: ScriptedSession; readonly again: () => Promise<void> }> {
  const world = await cutWorld();
  const core = await world.dev();
  await prepare(world);
  const claude = world.session();
  const app = await world.appOf(core.url);
  claude.callToolUnheard(await subscribe(app));
  const again = async (): Promise<void> => {
    claude.callTool(await subscribe(app));
    await world.connected();
  };
  return { ...world, claude, again };
}

interface OwnCertificate {
  readonly url: string;
  readonly key: string;
  /** The certificate's file. */
  readonly cert: string;
  readonly claude: ScriptedSession;
}

/** A core whose address is https, with a certificate that no authority of this machine signed. */
async function coreBehindOwnCertificate(world: CutWorld): Promise<OwnCertificate> {
  const [key, cert] = [join(world.cli.home, "key.pem"), join(world.cli.home, "cert.pem")];
  const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=wake -addext subjectAltName=IP:127.0.0.1";
  execFileSync("openssl", [...made.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
  let port = 0;
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (asked, response) => {
    const { method, url: path, headers } = asked;
    asked.pipe(
      request({ port, method, path, headers }, (answer) => void answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const data = ["--data", join(world.cli.home, "served")];
  const { first } = await world.cli.start<{ url: string }>(["serve", "--port", "0", ...data], { WAKESHIFT_PUBLIC_URL: url });
  port = Number(new URL(first.url).port);
  const created = await world.cli.json<{ key: { key: string; id: string } }>(["app", "create", "Crawler", ...data]);
  const app = new AppClient(first.url, created.key.key, created.key.id);
  await app.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
  const claude = world.session();
  claude.callTool(await subscribe(app));
  await until("the bridge to have asked", async () => /certificate/i.test((await world.status())?.cores[0]?.detail ?? ""));
  return { url, key: created.key.key, cert, claude };
}

const CUTS: readonly Cut[] = [
  {
    cut: "the core stopped",
    make: async () => {
      const world = await subscribedWorld();
      await world.core.kill();
      await until("the stream to be gone", async () => (await world.status())?.cores[0]?.connected === false);
      return { world, claude: world.claude, told: await world.told(), fix: () => world.dev() };
    },
    emit: /The core at http:\S+ can't be reached \(ECONNREFUSED\)\. Is it running/,
    doctor: /bridge: core http:\S+: The core at .* can't be reached .*\n +fix: start that core again: npx wakeshift dev/,
    status: /not connected +1 subscribed +The core at http:\S+ can't be reached \(ECONNREFUSED\)/,
  },
  {
    cut: "another core at its address",
    make: async () => {
      const world = await subscribedWorld();
      await world.core.kill();
      const other = await world.dev({ data: "other" });
      await until("the other core to be asked", async () => (await world.status())?.cores[0]?.held);
      const fix = async (): Promise<void> => {
        await other.kill();
        await world.dev();
      };
      return { world, claude: world.claude, told: await world.told(), fix };
    },
    emit: /The key \S+ isn't known to this core: .* at another core than the one that answers at this address\. Check WAKESHIFT_KEY and WAKESHIFT_CORE/,
    doctor: /another core answers at this address: 1 subscription is kept .*\n +fix: start the core with the database they were made in/,
    status: /not connected +1 subscribed +another core answers at this address/,
  },
  {
    cut: "a certificate that the bridge doesn't know",
    make: async () => {
      const world = await cutWorld();
      await world.setUp();
      const { url, key, cert, claude } = await coreBehindOwnCertificate(world);
      const trusting = { NODE_EXTRA_CA_CERTS: cert };
      const fix = async (): Promise<void> => {
        await claude.end();
        claude.reopen(trusting);
        await world.cli.run(["bridge", "--stop"]);
      };
      const told = await world.told({ core: url, env: { WAKESHIFT_KEY: key } });
      return { world, claude, told, fix, emitting: { core: url, env: { WAKESHIFT_KEY: key, ...trusting } } };
    },
    emit: /can't be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\).*NODE_EXTRA_CA_CERTS/,
    doctor: /can't be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\).*\n +fix: set NODE_EXTRA_CA_CERTS to .*, then: npx wakeshift bridge --stop$/m,
    status: /not connected +1 subscribed .*DEPTH_ZERO_SELF_SIGNED_CERT/,
  },
  {
    cut: "a program that was never set up",
    make: async () => {
      const world = await unheard(() => undefined);
      const fix = async (): Promise<void> => {
        await world.setUp();
        await world.again();
      };
      return { world, claude: world.claude, told: await world.told(), fix };
    },
    emit: ASK_DOCTOR,
    doctor: /^FAIL claude-code: set up: not set up, though a tool has subscribed .*\n +fix: npx wakeshift setup claude-code$/m,
    status: /^The bridge isn't running: .* No agent program was connected with `npx wakeshift setup`/,
  },
  {
    cut: "a program whose set-up was taken out while its conversation is subscribed",
    make: async () => {
      const world = await subscribedWorld();
      await world.claude.end();
      await world.cli.json(["setup", "claude-code", "--remove", "--yes"], world.env);
      const fix = async (): Promise<void> => {
        await world.setUp();
        world.claude.reopen();
      };
      return { world, claude: world.claude, told: await world.told({ settled: arrived(world) }), fix };
    },
    emit: ASK_STATUS,
    doctor:
      /claude-code: set up: not set up, though 1 subscription .*\n +fix: npx wakeshift setup claude-code, or end them: npx wakeshift end --program claude-code/,
    status: /waits until the conversation is opened/,
  },
  {
    cut: "a program that wasn't started again after set-up",
    make: async () => {
      const world = await unheard(async (prepared) => {
        await prepared.setUp();
        prepared.age();
      });
      const fix = async (): Promise<void> => {
        await world.claude.end();
        world.claude.reopen();
        await world.again();
      };
      return { world, claude: world.claude, told: await world.told(), fix };
    },
    emit: ASK_DOCTOR,
    doctor: /hook ran: claude-code took a turn .*running since before, .*\n +fix: end every claude-code that is open and start it again/,
    status: NOTHING_HERE,
  },
  {
    cut: "the bridge dead",
    make: async () => {
      const world = await subscribedWorld();
      await world.claude.end();
      const folder = join(world.cli.home, "wakeshift");
      for (const kind of ["supervisor-main", "worker-main"] as const) for (const pid of bridgeProcesses(folder, kind)) await killHard(pid);
      const fix = async (): Promise<void> => {
        await world.cli.json(["bridge", "--start"]);
        world.claude.reopen();
      };
      return { world, claude: world.claude, told: await world.told(), fix };
    },
    emit: ASK_DOCTOR,
    doctor: /bridge: process: none runs, though conversations are subscribed: nothing reaches them\.\n +fix: npx wakeshift bridge --start/,
    status: /^The bridge isn't running, though conversations are subscribed: nothing reaches them\. `npx wakeshift bridge --start`/,
  },
  {
    cut: "the launcher gone",
    make: async () => {
      const world = await unheard(async (prepared) => {
        await prepared.setUp();
        prepared.age();
        rmSync(join(prepared.cli.home, "wakeshift", "bin", "wakeshift"));
      });
      const fix = async (): Promise<void> => {
        await world.setUp();
        await world.again();
      };
      return { world, claude: world.claude, told: await world.told(), fix };
    },
    emit: ASK_DOCTOR,
    doctor: /claude-code: launcher: \S+, which its hooks call, is gone\n +fix: npx wakeshift setup claude-code/,
    status: /^The bridge isn't running: .* The launcher that hooks call is gone, .*`npx wakeshift setup`/,
  },
  {
    cut: "hooks off by policy",
    make: async () => {
      const policy = (world: CutWorld): string => join(world.cli.home, ".claude", "remote-settings.json");
      const world = await unheard(async (prepared) => {
        await prepared.setUp();
        prepared.age();
        writeFileSync(policy(prepared), JSON.stringify({ disableAllHooks: true }));
      });
      const fix = async (): Promise<void> => {
        rmSync(policy(world));
        await world.again();
      };
      return { world, claude: world.claude, told: await world.told(), fix };
    },
    emit: ASK_DOCTOR,
    doctor: /remote-settings\.json, your organization's policy, turns all hooks off .*\n +fix: ask whoever manages/,
    status: NOTHING_HERE,
  },
  {
    cut: "the core denied",
    make: async () => {
      const world = await subscribedWorld();
      await world.cli.json(["deny", world.core.url]);
      return { world, claude: world.claude, told: await world.told(), fix: () => world.cli.json(["allow", world.core.url]) };
    },
    emit: ASK_DOCTOR,
    doctor: /bridge: core http:\S+: 1 subscription, muted since you denied it\n +fix: npx wakeshift allow http:/,
    status: /Muted, since you denied it: http:\S+, 1 subscribed\.\n +npx wakeshift allow http:/,
  },
  {
    cut: "the app denied",
    make: async () => {
      const world = await subscribedWorld();
      await world.cli.json(["deny", world.core.url, "--app", "dev"]);
      const fix = (): Promise<unknown> => world.cli.json(["allow", "--app", "dev", world.core.url]);
      return { world, claude: world.claude, told: await world.told(), fix };
    },
    emit: ASK_DOCTOR,
    doctor: /bridge: app app_\w+ of http:\S+: 1 subscription, muted since you denied it\n +fix: npx wakeshift allow --app app_\w+ http:/,
    status: /Muted, since you denied it: dev \(app_\w+\) of http:\S+, 1 subscribed\.\n +npx wakeshift allow --app app_\w+ http:/,
  },
  {
    cut: "the conversation closed",
    make: async () => {
      const world = await subscribedWorld();
      await world.claude.end();
      const told = await world.told({ settled: arrived(world) });
      return { world, claude: world.claude, told, fix: () => Promise.resolve(world.claude.reopen()) };
    },
    emit: ASK_STATUS,
    doctor: /wake evt_\w+: waits until conversation \S+ is open\n +fix: claude --resume \S+/,
    status: /evt_\w+ +claude-code \S+ +waits until the conversation is opened/,
  },
  {
    cut: "the wake budget spent",
    make: async () => {
      const world = await subscribedWorld();
      await changeSetting("wake-budget", "1", { WAKESHIFT_HOME: join(world.cli.home, "wakeshift") });
      await emit(world.app);
      await until("the first wake to be seen", async () => (await world.status())?.last_wake?.state === "seen");
      const told = await world.told({ settled: arrived(world) });
      // The one that is emitted once it is fixed needs room, too.
      return { world, claude: world.claude, told, fix: () => world.cli.json(["set", "wake-budget", "3"]) };
    },
    emit: ASK_STATUS,
    doctor: /held back: conversation \S+ had its 1 wakes of this hour\n +fix: npx wakeshift set wake-budget 2/,
    status: /evt_\w+ +claude-code \S+ +held back: the conversation had its wakes for this hour/,
  },
  {
    cut: "a core that isn't allowed yet",
    make: async () => {
      const world = await cutWorld();
      await world.setUp();
      const core = await world.dev({ elsewhere: true });
      const claude = world.session();
      claude.callTool(await subscribe(await world.appOf(core.url)));
      await until("the report", async () => (await world.status())?.waiting_for_answer.length === 1);
      return { world, claude, told: await world.told(), fix: () => world.cli.json(["allow", core.url]) };
    },
    emit: ASK_DOCTOR,
    doctor: /bridge: core http:\S+: 1 subscription, but it may not wake this machine before you answer\n +fix: npx wakeshift allow http:/,
    status: /Waiting for your answer: http:\S+ \(app_\w+\), 1 subscribed\.\n +npx wakeshift allow http:/,
  },
];

test("with nothing cut, doctor is ok and the emit says that the conversation is connected", async () => {
  const world = await subscribedWorld();
  const { code, stdout } = await world.doctor();
  expect(stdout).not.toMatch(/^(FAIL|off|new)/m);
  expect(code).toBe(0);
  expect((await world.emit()).stdout).toMatch(ASK_STATUS);
});

test("PC-60 a company's CA chosen by --use-openssl-ca and SSL_CERT_FILE counts for the bridge, whatever else NODE_OPTIONS holds", async () => {
  const world = await cutWorld();
  await world.setUp();
  const { url, key, cert, claude } = await coreBehindOwnCertificate(world);
  await claude.end();
  claude.reopen({ NODE_OPTIONS: `--require ${join(world.cli.home, "gone.cjs")} --use-openssl-ca`, SSL_CERT_FILE: cert });
  await world.cli.run(["bridge", "--stop"]);
  await world.emit({ core: url, env: { WAKESHIFT_KEY: key, NODE_EXTRA_CA_CERTS: cert } });
  await until("the wake", () => claude.wakes.some((text) => text.includes(CRAWL.name)));
});

test.each(CUTS.map((each) => [each.cut, each] as const))(
  "with %s, emit, doctor and status name the cause; after the fix a wake arrives and doctor is ok",
  async (_name, cut) => {
    const { world, claude, told, fix, emitting } = await cut.make();
    expect(`${told.emit.stdout}${told.emit.stderr}`).toMatch(cut.emit);
    expect(told.doctor.stdout).toMatch(cut.doctor);
    expect(told.doctor.code).toBe(1);
    expect(told.status.stdout).toMatch(cut.status);

    const before = claude.wakes.length;
    await fix();
    const occurrence = /evt_\w+/.exec((await world.emit(emitting)).stdout)?.[0] ?? "none was emitted";
    await until("the wake", () => claude.wakes.slice(before).some((text) => text.includes(occurrence)));
    await until("it to be seen", async () => (await world.status())?.last_wake?.state === "seen");
    const { code, stdout } = await world.doctor();
    expect(stdout).not.toMatch(/^FAIL/m);
    expect(code).toBe(0);
  },
);
