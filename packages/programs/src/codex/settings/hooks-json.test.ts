import { expect, test } from "vitest";
import { WakeshiftError } from "@wakeshift/protocol";
import { hookEntries } from "./hook-entries.ts";
import { addToHooksJson, commandsIn, takeFromHooksJson } from "./hooks-json.ts";

const entries = hookEntries("/home/ann/.local/state/wakeshift/bin/wakeshift", "linux");
const USERS = `{ "description": "mine",
    "hooks": {
        "Stop": [{"hooks":[{"type":"command","command":"say done"}], "odd" : 1}],
        "PreToolUse": [] } }
`;

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (WakeshiftError.isInstance(error)) return error.code;
  }
  return "nothing thrown";
}

test("makes a new file where there is none", () => {
  const made = addToHooksJson(undefined, entries, "hooks.json");
  expect(JSON.parse(made)).toEqual({
    hooks: {
      PostToolUse: [{ matcher: "mcp__.*", hooks: [{ type: "command", command: entries[0]?.command, timeout: 30 }] }],
      Stop: [{ hooks: [{ type: "command", command: entries[1]?.command, timeout: 86_400 }] }],
    },
  });
});

test("PC-30: appends after the user's hooks and keeps every byte of theirs", () => {
  const after = addToHooksJson(USERS, entries, "hooks.json");
  expect(
    commandsIn(JSON.parse(after))
      .filter((one) => one.event === "Stop")
      .map((one) => one.command),
  ).toEqual(["say done", entries[1]?.command]);
  expect(after).toContain('[{"hooks":[{"type":"command","command":"say done"}], "odd" : 1}');
  expect(
    after.startsWith(
      '{ "description": "mine",\n    "hooks": {\n        "Stop": [{"hooks":[{"type":"command","command":"say done"}], "odd" : 1}',
    ),
  ).toBe(true);
});

test("PC-30: a second set-up changes no byte", () => {
  const once = addToHooksJson(USERS, entries, "hooks.json");
  expect(addToHooksJson(once, entries, "hooks.json")).toBe(once);
});

test("takes out only its own entries", () => {
  const back = takeFromHooksJson(addToHooksJson(USERS, entries, "hooks.json"), entries, "hooks.json");
  expect(back).toBe(USERS);
});

test("takes its handler out of a group the user added to", () => {
  const command = entries[1]?.command;
  const shared = JSON.stringify({
    hooks: {
      Stop: [
        {
          hooks: [
            { type: "command", command },
            { type: "command", command: "say done" },
          ],
        },
      ],
    },
  });
  expect(JSON.parse(takeFromHooksJson(shared, entries, "hooks.json"))).toEqual({
    hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] },
  });
});

test.each(["", "// comment\n{}", "[]", '{"hooks":[]}', '{"hooks":{"Stop":{}}}'])(
  "leaves a file alone that Codex can't read: %j",
  (text) => {
    expect(codeOf(() => addToHooksJson(text, entries, "hooks.json"))).toBe("bad_request");
  },
);

test("quotes a launcher whose path holds spaces and quotes", () => {
  expect(hookEntries("/home/o'neil/my files/wakeshift", "linux")[1]?.command).toBe(`'/home/o'\\''neil/my files/wakeshift' hook codex Stop`);
  expect(hookEntries("C:\\my files\\wakeshift.cmd", "win32")[1]?.command).toBe('"C:\\my files\\wakeshift.cmd" hook codex Stop');
});
