import { expect, it } from "vitest";
import { commandLineOf } from "./command-line.ts";
import { sessionMode } from "./session-mode.ts";

it("a terminal session is attended, and its hooks run beside it", () => {
  expect(sessionMode({ CLAUDE_CODE_SESSION_ATTENDED: "1", CLAUDE_CODE_ENTRYPOINT: "cli" }, ["claude"])).toEqual({
    unattended: false,
    background: true,
  });
  expect(sessionMode({ CLAUDE_CODE_ENTRYPOINT: "cli" }, undefined)).toEqual({ unattended: false, background: true });
});

it("a one-shot run is unattended, and waits for its hooks", () => {
  for (const line of [["claude", "-p", "stream-json"], ["claude", "-p", "--output-format", "stream-json"], undefined]) {
    expect(sessionMode({ CLAUDE_CODE_SESSION_ATTENDED: "0", CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, line)).toEqual({
      unattended: true,
      background: false,
    });
  }
});

it("a run whose input streams is unattended, and its hooks run beside it", () => {
  for (const line of [
    ["claude", "-p", "--input-format", "stream-json"],
    ["claude", "--input-format=stream-json", "-p"],
  ]) {
    expect(sessionMode({ CLAUDE_CODE_SESSION_ATTENDED: "0", CLAUDE_CODE_ENTRYPOINT: "sdk-ts" }, line)).toEqual({
      unattended: true,
      background: true,
    });
  }
});

it("an unknown program is taken as the one that is easiest to hold up", () => {
  expect(sessionMode({}, undefined)).toEqual({ unattended: true, background: false });
});

it("reads the command line of a process", () => {
  expect(commandLineOf(process.pid)?.join(" ")).toContain("node");
  expect(commandLineOf(999_999_999)).toBeUndefined();
});
