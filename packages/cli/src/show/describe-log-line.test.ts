import { expect, test } from "vitest";
import { describeLogLine } from "./describe-log-line.ts";

test.each([
  [{ level: "info", time: "2026-01-01T10:11:12.000Z", port: 4870, msg: "listening" }, "10:11:12 listening (port=4870)\n"],
  [
    { level: "warn", time: "2026-01-01T10:11:12.000Z", app: "app_1", closed: [{ name: "a.b" }], msg: "events were closed" },
    '10:11:12 warn events were closed (app=app_1, closed=[{"name":"a.b"}])\n',
  ],
  [{ level: "info", time: "2026-01-01T10:11:12.000Z", msg: "stopped" }, "10:11:12 stopped\n"],
])("%j is told in one line", (entry, line) => {
  expect(describeLogLine(`${JSON.stringify(entry)}\n`)).toBe(line);
});

test("what is no JSON is told as it is, and terminal escapes are taken out", () => {
  expect(describeLogLine("a crash\n")).toBe("a crash\n");
  expect(describeLogLine(JSON.stringify({ level: "info", time: "", name: "a\u001b[31mb\nc", msg: "x" }))).not.toMatch(/\u001b|\n./);
});
