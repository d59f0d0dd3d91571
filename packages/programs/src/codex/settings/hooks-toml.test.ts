import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { hookEntries } from "./hook-entries.ts";
import { addToToml, definesHooks, takeFromToml, tomlCommands } from "./hooks-toml.ts";

const entries = hookEntries("/home/ann/.local/state/wakeshift/bin/wakeshift", "linux");
const USERS = `model = "x" # mine

[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "say done"
# end`;

test("PC-30: appends after the user's tables and takes exactly that away again", () => {
  for (const text of [USERS, `${USERS}\n`, `${USERS}\n\n\n`]) {
    const after = addToToml(text, entries) ?? "";
    expect(after.startsWith(text)).toBe(true);
    expect(tomlCommands(after)).toEqual(expect.arrayContaining(["say done", ...entries.map((entry) => entry.command)]));
    expect(Object.keys(parse(after)["hooks"] as object)).toEqual(["Stop", "PostToolUse"]);
    expect(takeFromToml(after, entries)?.trimEnd()).toBe(text.trimEnd());
  }
});

test("keeps what Codex put between and behind its tables", () => {
  const after = `${addToToml(`${USERS}\n`, entries) ?? ""}\n[hooks.state."k"]\ntrusted_hash = "sha256:1"\n`;
  expect(takeFromToml(after, entries)).toBe(`${USERS}\n\n[hooks.state."k"]\ntrusted_hash = "sha256:1"\n`);
});

test("gives up where the user's hooks are an inline list", () => {
  expect(addToToml('[hooks]\nStop = [{ hooks = [{ type = "command", command = "say done" }] }]\n', entries)).toBeUndefined();
});

test("adds nothing twice", () => {
  const once = addToToml(USERS, entries) ?? "";
  expect(addToToml(once, entries)).toBe(once);
});

test("doesn't take trust for hooks", () => {
  expect(definesHooks('[hooks.state."k"]\ntrusted_hash = "x"\n')).toBe(false);
  expect(definesHooks(USERS)).toBe(true);
  expect(definesHooks("not [ toml")).toBe(false);
});

test("says so where its tables were edited", () => {
  expect(takeFromToml((addToToml(USERS, entries) ?? "").replace("86400", "60"), entries)).toBeUndefined();
});
