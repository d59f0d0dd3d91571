import { describe, expect, it } from "vitest";
import jsonc from "jsonc-parser";
import type { FileChange, SettingsContext } from "../program/program-setup.ts";
import { claudeCodeChecks } from "./check.ts";
import { HOOK_EVENTS } from "./settings/hook-entries.ts";
import { addHooks, claudeCodeSettings, hookCommand, hookCommands, removeHooks } from "./install.ts";
import { hookEntries } from "./settings/hook-entries.ts";

const PATH = "/home/user/.claude/settings.json";
const LAUNCHER = "/home/user/.local/state/wakeshift/bin/wakeshift";
const entries = hookEntries(hookCommands(LAUNCHER, "/home/user/.local/state/wakeshift"));

interface Settings {
  readonly hooks: Readonly<
    Record<
      string,
      readonly { readonly matcher?: string; readonly hooks: readonly { readonly command: string; readonly timeout: number }[] }[]
    >
  >;
}

function context(text: string | undefined, extra: Partial<SettingsContext> = {}): SettingsContext {
  return {
    env: {},
    userHome: "/home/user",
    folder: "/home/project",
    wakeshiftHome: "/home/user/.local/state/wakeshift",
    launcher: LAUNCHER,
    pluginFolder: "/plugins/claude-code",
    platform: "linux",
    read: (path) => (path === PATH ? text : path === LAUNCHER ? "#!/bin/sh\n" : undefined),
    run: {
      run: (command) =>
        Promise.resolve({ exitCode: 0, stdout: command === "claude" ? "2.1.332 (Claude Code)\n" : "", stderr: "", timedOut: false }),
    },
    ...extra,
  };
}

async function install(text: string | undefined): Promise<FileChange> {
  const [change] = (await claudeCodeSettings.install(context(text))).files;
  if (change?.after === undefined) throw new Error("nothing was changed");
  return change;
}

const parse = (text: string): Settings => jsonc.parse(text, [], { allowTrailingComma: true }) as Settings;

const USERS = {
  "no file": undefined,
  "an empty file": "",
  "an empty object": "{}",
  "a spread empty object": "{\n}\n",
  "keys we don't know": '{\n  "model": "opus",\n  "future": {"a": [1, 2]}\n}\n',
  "hooks of the user's own": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}],"PreToolUse":[]},"model":"x"}',
  "comments, tabs and trailing commas":
    '{\n\t// mine\n\t"model": "x", // the model\n\t"hooks": {\n\t\t"Stop": [ {"hooks":[]}, ], /* keep */\n\t},\n}\n',
  "Windows line ends": '{\r\n    "model": "x"\r\n}\r\n',
  "an empty hooks object": '{\n  "hooks": {}\n}\n',
};

describe.each(Object.entries(USERS))("settings with %s", (_, text) => {
  it("get all hooks, and nothing of the user's changes", async () => {
    const { after } = await install(text);
    const settings = parse(after ?? "");
    for (const event of HOOK_EVENTS)
      expect(settings.hooks[event]?.at(-1)?.hooks.at(-1)?.command, event).toMatch(
        new RegExp(`(^|\\|\\| )'${LAUNCHER}' hook claude-code ${event}$`),
      );
    const theirs = parse(text ?? "{}");
    for (const [event, groups] of Object.entries(theirs?.hooks ?? {}))
      expect(settings.hooks[event]?.slice(0, groups.length)).toEqual(groups);
    for (const line of (text ?? "").split(/\r?\n/).filter((one) => one.includes("//") || one.includes("future")))
      expect(after).toContain(line);
  });

  it("change only once", async () => {
    const { after } = await install(text);
    expect((await claudeCodeSettings.install(context(after))).files).toEqual([]);
  });

  it("get their bytes back when it is taken out", async () => {
    const change = await install(text);
    const removal = await claudeCodeSettings.remove(context(change.after), [change]);
    expect(removal.files[0]?.after).toBe(text);
  });

  it("lose only our own entries where the user has edited them since", async () => {
    const change = await install(text);
    const edited = `${change.after ?? ""}// added later\n`;
    const removal = await claudeCodeSettings.remove(context(edited), [change]);
    const left = removal.files[0]?.after ?? "";
    expect(left).toContain("// added later");
    expect(left).not.toContain("wakeshift");
    expect(parse(left)).toEqual(parse(text === undefined || text === "" ? "{}" : text));
  });
});

it("puts entries behind the user's, so that theirs keep their place", async () => {
  const settings = parse((await install(USERS["hooks of the user's own"])).after ?? "");
  expect(settings.hooks["Stop"]?.[0]?.hooks[0]?.command).toBe("say done");
});

it("takes our hook out of a group that the user put one of theirs into", () => {
  const ours = addHooks(undefined, entries, PATH);
  const mixed = ours.replace(/("Stop": \[\s*\{\s*"hooks": \[)/, '$1 {"type": "command", "command": "theirs"},');
  expect(mixed).not.toBe(ours);
  const left = removeHooks(mixed, undefined, PATH);
  expect(parse(left).hooks["Stop"]).toEqual([{ hooks: [{ type: "command", command: "theirs" }] }]);
  expect(left).not.toContain("hook claude-code");
});

it.each(['{ "hooks": [] }\n', '{ "hooks": {} }\n', '{ "hooks": { "Stop": [] } }\n'])(
  "leaves what holds nothing of ours as it is at a removal: %j",
  (text) => {
    expect(removeHooks(text, undefined, PATH)).toBe(text);
  },
);

it("keeps the entries an earlier version wrote", async () => {
  const earlier = addHooks(undefined, entries, PATH).replaceAll('"timeout": 60', '"timeout": 61');
  expect((await claudeCodeSettings.install(context(earlier))).files).toEqual([]);
});

it("adds nothing where the plugin is on", async () => {
  const settings = '{"enabledPlugins": {"wakeshift@wakeshift": true}}';
  expect((await claudeCodeSettings.install(context(settings))).files).toEqual([]);
  expect((await claudeCodeChecks.check(context(settings))).filter((one) => !one.ok)).toEqual([]);
  expect((await claudeCodeSettings.install(context(settings.replace("true", "false")))).files).toHaveLength(1);
});

it("grants nothing: no permission, no decision, no bypass", async () => {
  const { after } = await install(undefined);
  expect(after).not.toMatch(/permission|allow|bypass|decision|dangerous/i);
});

it("has the same entries in every version", () => {
  expect(
    JSON.stringify(hookEntries({ run: (event) => `run ${event}`, runIfAnythingLives: (event) => `guarded ${event}` }), null, 1),
  ).toMatchSnapshot();
});

it("refuses settings that are no JSON object, and leaves them alone", async () => {
  for (const broken of ["[]", "nonsense", '{"a": ', "3"]) {
    await expect(claudeCodeSettings.install(context(broken))).rejects.toMatchObject({ code: "bad_request" });
  }
  await expect(claudeCodeSettings.install(context('{"hooks": 3}'))).rejects.toMatchObject({ code: "bad_request" });
  await expect(claudeCodeSettings.install(context('{"hooks": {"Stop": {}}}'))).rejects.toMatchObject({ code: "bad_request" });
});

it("follows CLAUDE_CONFIG_DIR", async () => {
  const plan = await claudeCodeSettings.install(context(undefined, { env: { CLAUDE_CONFIG_DIR: "/srv/claude" } }));
  expect(plan.files.map((file) => file.path)).toEqual(["/srv/claude/settings.json"]);
});

it("quotes a launcher whose path holds spaces and quotes", () => {
  expect(hookCommand("/home/o'neil/My Files/bin/wakeshift", "Stop")).toBe(
    `'/home/o'\\''neil/My Files/bin/wakeshift' hook claude-code Stop`,
  );
});

it.each(['{ // mine\n  "model": "x"\n}\n', '{ "a": [1, ], "model": "x" }\n', "{ /* a */ }\n"])(
  "says at set-up and in doctor that Claude Code reads nothing of settings that aren't plain JSON: %j",
  async (text) => {
    const plan = await claudeCodeSettings.install(context(text));
    expect(plan.notes.at(-1)).toContain(`${PATH} has comments or trailing commas`);
    const after = plan.files[0]?.after;
    expect((await claudeCodeChecks.check(context(after))).filter((one) => !one.ok)).toMatchObject([
      { check: "hooks", detail: expect.stringContaining("reads nothing of it") as string, fix: `take them out of ${PATH}` },
    ]);
    expect((await claudeCodeSettings.install(context("{}"))).notes).toHaveLength(1);
  },
);

describe("doctor", () => {
  it("is content after set-up", async () => {
    const { after } = await install(undefined);
    expect((await claudeCodeChecks.check(context(after))).filter((one) => !one.ok)).toEqual([]);
  });

  it("names the command that fixes missing hooks", async () => {
    const [, hooks] = await claudeCodeChecks.check(context("{}"));
    expect(hooks).toMatchObject({ check: "hooks", ok: false, fix: "npx wakeshift setup claude-code" });
  });

  it("sees that all hooks are turned off", async () => {
    const { after } = await install('{\n  "disableAllHooks": true\n}\n');
    expect((await claudeCodeChecks.check(context(after))).find((one) => one.check === "hooks enabled")).toMatchObject({ ok: false });
  });

  it.each([
    ["/etc/claude-code/managed-settings.json", '{"allowManagedHooksOnly":true}', "lets only its own hooks run", "ask whoever manages"],
    ["/etc/claude-code/managed-settings.json", '{"disableAllHooks":true}', "turns all hooks off", "ask whoever manages"],
    ["/home/user/.claude/remote-settings.json", '{"allowManagedHooksOnly":true}', "lets only its own hooks run", "ask whoever manages"],
    ["/home/project/.claude/settings.json", '{"disableAllHooks":true}', "turns all hooks off", 'remove "disableAllHooks" from'],
    ["/home/project/.claude/settings.local.json", '{"disableAllHooks":true}', "turns all hooks off", 'remove "disableAllHooks" from'],
  ])("names the file that keeps hooks from running, of a policy or of the project: %s %s", async (path, text, detail, fix) => {
    const { after } = await install(undefined);
    const read = (asked: string): string | undefined => (asked === path ? text : asked === PATH ? after : undefined);
    const failed = (await claudeCodeChecks.check(context(after, { read, platform: "linux" }))).filter((one) => !one.ok);
    expect(failed).toMatchObject([{ check: "hooks enabled" }]);
    expect(failed[0]?.detail).toMatch(new RegExp(`^${path}.* ${detail}`));
    expect(failed[0]?.fix).toContain(`${fix} ${path}`);
  });

  it("a policy's word in a project's settings, and a project's file elsewhere, keep no hook from running", async () => {
    const { after } = await install(undefined);
    const read = (asked: string): string | undefined =>
      asked === PATH ? after : asked.startsWith("/home/project/") ? '{"allowManagedHooksOnly":true}' : undefined;
    expect((await claudeCodeChecks.check(context(after, { read }))).filter((one) => !one.ok)).toEqual([]);
  });

  it("sees hooks that call another launcher than this set-up's", async () => {
    const { after } = await install(undefined);
    const moved = await claudeCodeChecks.check(context(after, { launcher: "/elsewhere/bin/wakeshift" }));
    expect(moved.find((one) => one.check === "hooks")).toMatchObject({ ok: false, fix: expect.stringContaining("--remove") as string });
  });

  it("sees an old version, and no program at all", async () => {
    const { after } = await install(undefined);
    const answer = (exitCode: number, stdout: string): Partial<SettingsContext> => ({
      run: { run: () => Promise.resolve({ exitCode, stdout, stderr: "", timedOut: false }) },
    });
    expect(
      (await claudeCodeChecks.check(context(after, answer(0, "2.0.9 (Claude Code)")))).find((one) => one.check === "version"),
    ).toMatchObject({
      ok: false,
    });
    const old = (await claudeCodeChecks.check(context(after, answer(0, "2.1.223 (Claude Code)"))))[0];
    expect(old?.detail).toMatch(/^2\.1\.223 .+ is installed, 2\.1\.224 or newer is needed: .+ are not woken$/);
    expect((await claudeCodeChecks.check(context(after, answer(0, "2.1.224 (Claude Code)"))))[0]).toMatchObject({ ok: true });
    expect(await claudeCodeChecks.check(context(after, answer(127, "")))).toMatchObject([{ check: "found", ok: false }]);
  });
});
