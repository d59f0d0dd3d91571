import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codexConfig, codexExec, codexHome, openCodexWorld, startAppServer, watch } from "./support/codex.ts";
import { installNewerVersion } from "../system/cli-support/newer-version.ts";
import { makeWorld, type World } from "./support/world.ts";

interface Check {
  readonly program: string;
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string;
}

const USERS_HOOKS = `{ "description": "mine",
  "hooks": {
    "Stop": [{"hooks":[{"type":"command","command":"true"}], "odd":1 }],
    "SessionStart":[ {"hooks":[{"type":"command","command":"true", "timeout": 5}]} ] } }
`;
const USERS_TOML = `
# my comment
[unknown_thing]
  a   =  1 # keep
`;

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

async function codexChecks(world: World): Promise<readonly Check[]> {
  const { checks } = await world.cliJson<{ readonly checks: readonly Check[] }>(["doctor"]);
  return checks.filter((one) => one.program === "codex");
}

/** Takes the trust back through Codex's own interface, as a user does in /hooks. */
async function untrust(world: World): Promise<void> {
  const server = await startAppServer(world);
  const list = (await server.call("hooks/list", { cwds: [codexHome(world)] })) as {
    readonly data: readonly [{ readonly hooks: readonly { readonly key: string; readonly command: string }[] }];
  };
  const edits = list.data[0].hooks
    .filter((hook) => hook.command.includes("hook codex"))
    .map((hook) => ({ keyPath: `hooks.state.${JSON.stringify(hook.key)}`, value: null, mergeStrategy: "replace" }));
  await server.call("config/batchWrite", { edits });
  await server.close();
}

test("PC-30: set-up keeps the user's hooks, doctor tells untrusted from trusted, a newer version's set-up changes no byte, removal gives all bytes back", async () => {
  const world = await makeWorld("codex");
  onTestFinished(() => world.close());
  mkdirSync(codexHome(world), { recursive: true });
  const hooksJson = join(codexHome(world), "hooks.json");
  const configToml = join(codexHome(world), "config.toml");
  const config = codexConfig(world) + USERS_TOML;
  writeFileSync(hooksJson, USERS_HOOKS);
  writeFileSync(configToml, config);

  expect(await codexChecks(world)).toMatchObject([{ check: "set up", ok: true, detail: "not set up", fix: "npx wakeshift setup codex" }]);
  const refused = await world.cli(["setup", "codex"]);
  expect(refused.code).not.toBe(0);
  expect([read(hooksJson), read(configToml)]).toEqual([USERS_HOOKS, config]);

  const shown = (await world.cli(["setup", "codex", "--diff"], { timeoutMs: 60_000 })).stdout;
  expect([read(hooksJson), read(configToml)]).toEqual([USERS_HOOKS, config]);
  expect((await world.cli(["setup", "codex", "--yes"], { timeoutMs: 60_000 })).code).toBe(0);
  const trust = /^(?:\[hooks\.state\.|trusted_hash = ).*$/gm;
  expect(shown.match(new RegExp(trust.source.replace("^", "^\\+"), "gm"))).toEqual(
    read(configToml)
      ?.match(trust)
      ?.map((line) => `+${line}`),
  );
  const hooks = read(hooksJson) ?? "";
  expect(hooks.startsWith(USERS_HOOKS.slice(0, USERS_HOOKS.indexOf('"odd":1 }') + 9))).toBe(true);
  expect(hooks).not.toContain("bypass");
  expect((read(configToml) ?? "").startsWith(config)).toBe(true);
  expect(await codexChecks(world)).toSatisfy((checks: readonly Check[]) => checks.every((one) => one.ok));

  await untrust(world);
  const untrusted = (await codexChecks(world)).filter((one) => !one.ok);
  expect(untrusted).toMatchObject([{ check: "trust", fix: "npx wakeshift setup codex" }]);
  expect((await world.cli(["setup", "codex", "--yes"], { timeoutMs: 60_000 })).code).toBe(0);
  expect((await codexChecks(world)).filter((one) => !one.ok)).toEqual([]);
  expect(read(hooksJson)).toBe(hooks);

  const trusted = read(configToml);
  const newer = installNewerVersion(join(world.dir, "newer"), "99.0.0");
  const upgrade = world.run(process.execPath, [newer, "setup", "codex", "--yes"]);
  expect([await upgrade.ended, upgrade.stdout]).toEqual([0, "codex: nothing to change\n"]);
  expect([read(hooksJson), read(configToml)]).toEqual([hooks, trusted]);
  const version = world.run(join(world.wakeshiftHome, "bin", "wakeshift"), ["--version"]);
  expect([await version.ended, version.stdout.trim()]).toEqual([0, "99.0.0"]);
  expect((await codexChecks(world)).filter((one) => !one.ok)).toEqual([]);

  expect((await world.cli(["setup", "codex", "--remove", "--yes"], { timeoutMs: 60_000 })).code).toBe(0);
  expect([read(hooksJson), read(configToml)]).toEqual([USERS_HOOKS, config]);
});

test("PC-30: an untrusted hook is skipped by Codex, and the conversation simply stays unsubscribed here", async () => {
  const world = await openCodexWorld();
  await untrust(world);
  const run = codexExec(world, watch("j1"));
  expect(await run.ended).toBe(0);
  expect(world.model.requests.some((one) => one.text.includes("Watching crawl j1"))).toBe(true);
  expect(existsSync(join(world.wakeshiftHome, "bridge.sock"))).toBe(false);
});

test("removal leaves what the user added after set-up", async () => {
  const world = await openCodexWorld();
  const configToml = join(codexHome(world), "config.toml");
  writeFileSync(configToml, `${read(configToml) ?? ""}\n[tui]\nanimations = false\n`);
  expect((await world.cli(["setup", "codex", "--remove", "--yes"], { timeoutMs: 60_000 })).code).toBe(0);
  expect(read(configToml)).toBe(`${codexConfig(world)}\n[tui]\nanimations = false\n`);
  expect(existsSync(join(codexHome(world), "hooks.json"))).toBe(false);
});
