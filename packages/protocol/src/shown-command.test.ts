import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shownCommand } from "./shown-command.ts";

/** What a shell passes to a command that is pasted into it. */
function pasted(line: string): readonly string[] {
  const out = execFileSync("/bin/sh", ["-c", `wakeshift() { for word; do printf '%s\\0' "$word"; done; }; ${line}`], { encoding: "utf8" });
  return out.split("\0").slice(0, -1);
}

test("a plain command is shown as it is", () => {
  expect(shownCommand(["npx", "wakeshift", "allow"], ["https://wake.example.com:8443"])).toBe(
    "npx wakeshift allow https://wake.example.com:8443",
  );
  expect(shownCommand(["wakeshift", "deny", "--app", "app_1"], ["https://[::1]"])).toBe("wakeshift deny --app app_1 'https://[::1]'");
});

test("an operand that begins with a dash isn't an option", () => {
  expect(shownCommand(["wakeshift", "show"], ["--yes"])).toBe("wakeshift show -- --yes");
});

test("an operand can't move a terminal's cursor or begin a line", () => {
  expect(shownCommand(["wakeshift", "show"], ["a\u001b[2J\n\u202erm"])).toBe("wakeshift show 'a rm'");
});

test("a shell that is given the command runs nothing else, whatever the operand", () => {
  const operand = fc.oneof(
    fc.constantFrom("https://a;{touch,x};b.example", "$(touch x)", "`touch x`", "a'b", "'", "", "~", "=ls", "#", "a b", "\\", "!!", "*"),
    fc.string({ unit: fc.constantFrom(..."abc-='\"\\$`;&|<>(){}[]*?~#! "), minLength: 0, maxLength: 12 }),
  );
  fc.assert(
    fc.property(operand, (text) => {
      expect(pasted(shownCommand(["wakeshift", "end", "--program", text], [text])).slice(0, 3)).toEqual(["end", "--program", text]);
      expect(pasted(shownCommand(["wakeshift", "show"], [text])).at(-1)).toBe(text);
    }),
    { numRuns: 60 },
  );
});
