import { expect, test } from "vitest";
import type { SettingsContext } from "../../program/program-setup.ts";
import { codexPlace, hooksFile, missingEntries } from "./codex-place.ts";
import { addToHooksJson } from "./hooks-json.ts";

const TOML_HOOKS = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n';

function contextWith(files: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}): SettingsContext {
  return {
    env,
    userHome: "/home/ann",
    folder: "/home/project",
    wakeshiftHome: "/home/ann/ws",
    launcher: "/home/ann/ws/bin/wakeshift",
    pluginFolder: "/nowhere",
    platform: "linux",
    read: (path) => files[path],
    run: { run: () => Promise.resolve({ exitCode: 0, stdout: "", stderr: "", timedOut: false }) },
  };
}

test("looks into CODEX_HOME, else into the user's .codex", () => {
  expect(codexPlace(contextWith({})).hooksJson).toBe("/home/ann/.codex/hooks.json");
  expect(codexPlace(contextWith({}, { CODEX_HOME: "/data/codex" })).configToml).toBe("/data/codex/config.toml");
});

test("adds to the file that has hooks already, and makes hooks.json where neither has", () => {
  const where = (files: Readonly<Record<string, string>>): string => {
    const context = contextWith(files);
    return hooksFile(codexPlace(context), context);
  };
  expect(where({})).toBe("json");
  expect(where({ "/home/ann/.codex/config.toml": 'model = "x"\n' })).toBe("json");
  expect(where({ "/home/ann/.codex/config.toml": TOML_HOOKS })).toBe("toml");
  expect(where({ "/home/ann/.codex/config.toml": TOML_HOOKS, "/home/ann/.codex/hooks.json": "{}" })).toBe("json");
});

test("misses nothing that stands there, in whichever file", () => {
  const place = codexPlace(contextWith({}));
  const full = addToHooksJson(undefined, place.entries, "hooks.json");
  const context = contextWith({ "/home/ann/.codex/hooks.json": full });
  expect(missingEntries(place, context)).toEqual([]);
  expect(missingEntries(place, contextWith({})).map((entry) => entry.event)).toEqual(["PostToolUse", "Stop"]);
  expect(missingEntries(place, contextWith({ "/home/ann/.codex/hooks.json": "no json" }))).toHaveLength(2);
});

test("finds no Codex on an empty PATH", () => {
  expect(codexPlace(contextWith({}, { PATH: "" })).appServer).toBeUndefined();
});
