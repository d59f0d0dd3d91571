import { expect, it } from "vitest";
import { answerWake, showNotice } from "./hook.ts";

const wake = {
  delivery: "dlv_1",
  conversation: "session-1",
  text: "[Wakeshift] a.b from A (app_1), occurrence evt_1, subscription sub_1",
  occurrences: ["evt_1"],
};

it("wakes by code 2, with the frame on a line of its own", () => {
  expect(answerWake(wake, "session-1")).toEqual({ stdout: "", stderr: `\n${wake.text}`, exitCode: 2 });
  expect(answerWake(wake, undefined).exitCode).toBe(2);
});

it("doesn't wake a process that runs another conversation by now", () => {
  expect(answerWake(wake, "session-2")).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

it("shows a notice to the user only, never to the model", () => {
  expect(JSON.parse(showNotice("Notice", "A core waits").stdout)).toEqual({ systemMessage: "A core waits" });
  for (const event of ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"])
    expect(showNotice(event, "A core waits")).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});
