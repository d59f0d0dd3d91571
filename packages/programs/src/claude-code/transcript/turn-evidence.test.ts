import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isInTurn, isQueued } from "./turn-evidence.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "..", "captured", name), "utf8");
const stream = read("transcript-stream.jsonl");
const oneShot = read("transcript-oneshot.jsonl");
const upTo = (transcript: string, part: (line: { type: string; operation?: string }) => boolean, text: string): string => {
  const lines = transcript.split("\n");
  const place = lines.findIndex((line) => line.includes(text) && part(JSON.parse(line) as { type: string; operation?: string }));
  return lines.slice(0, place + 1).join("\n");
};

describe("a wake stands in a turn", () => {
  it("that it began in an idle session", () => expect(isInTurn(stream, "evt_idle")).toBe(true));
  it("that was running, once it joined it", () => expect(isInTurn(stream, "evt_busy")).toBe(true));
  it("of a one-shot run that was held", () => expect(isInTurn(oneShot, "evt_held")).toBe(true));
  it("that was begun by a resume with the wake as its prompt", () => {
    const line = {
      type: "user",
      message: { role: "user", content: "[Wakeshift] a.b from A (app_1), occurrence evt_r, subscription sub_1\n> x" },
    };
    expect(isInTurn(JSON.stringify(line), "evt_r")).toBe(true);
  });
});

describe("a wake doesn't stand in a turn", () => {
  it("while the program only queued it (PC-24)", () => {
    const queued = upTo(stream, (line) => line.operation === "enqueue", "evt_busy");
    expect(isInTurn(queued, "evt_busy")).toBe(false);
    expect(isQueued(queued, "evt_busy", 0)).toBe(true);
  });

  it("because a tool's result or an answer repeats its id", () => {
    const heading = "[Wakeshift] a.b from A (app_1), occurrence evt_x, subscription sub_1";
    const lines = [
      { type: "assistant", message: { content: [{ type: "text", text: heading }] } },
      { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: heading }] } },
      { type: "last-prompt", lastPrompt: heading },
      { type: "user", isSidechain: true, message: { content: heading } },
    ];
    expect(isInTurn(lines.map((line) => JSON.stringify(line)).join("\n"), "evt_x")).toBe(false);
  });

  it("because a user's text holds its id, such as the 42 that an author chose, or another app's wake with that id", () => {
    const said = (content: string): string => JSON.stringify({ type: "user", message: { role: "user", content } });
    expect(isInTurn(said("The answer is 42."), "42")).toBe(false);
    const heading = said("[Wakeshift] a.b from A (app_1), occurrence 42, subscription sub_1");
    expect(isInTurn(heading, "42", ["sub_1"])).toBe(true);
    expect(isInTurn(heading, "42", ["sub_2"])).toBe(false);
  });

  it("because its id begins with the id of one that does", () =>
    expect(isInTurn(stream.replaceAll("evt_idle", "evt_idle_2"), "evt_idle")).toBe(false));
});

describe("a wake is no longer queued", () => {
  it("once the queue is empty", () => expect(isQueued(stream, "evt_idle", 0)).toBe(false));
  it("where the process that queued it has ended", () => {
    const queued = upTo(stream, (line) => line.operation === "enqueue", "evt_busy");
    expect(isQueued(queued, "evt_busy", Date.now())).toBe(false);
  });
  it("where it never was", () => expect(isQueued(stream, "evt_none", 0)).toBe(false));
});

it("passes over a line that is cut at the beginning of a tail", () => {
  const cut = stream.slice(stream.indexOf("evt_busy") - 3);
  expect(isInTurn(cut, "evt_busy")).toBe(true);
  expect(isInTurn('evt_half, subscription sub_1"}}\n', "evt_half")).toBe(false);
});
